// SPDX-License-Identifier: MIT
// The floor: a grid that fades into the distance, and the shadow on it, cast or only hinted at.
import { Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2 } from 'three';

const vertexShader = `
varying vec2 vPlace;
void main() {
	vec4 place = modelMatrix * vec4( position, 1.0 );
	vPlace = place.xz;
	gl_Position = projectionMatrix * viewMatrix * place;
}`;

const fragmentShader = `
uniform vec3 colour;
uniform float cell;
uniform float reach;
uniform float strength;
uniform float spot;
uniform vec2 middle;
varying vec2 vPlace;
float lines( float size ) {
	vec2 at = vPlace / size;
	vec2 width = fwidth( at );
	vec2 distance = abs( fract( at - 0.5 ) - 0.5 ) / width;
	vec2 line = 1.0 - min( distance, 1.0 );
	return max( line.x, line.y ) * ( 1.0 - smoothstep( 0.2, 0.6, max( width.x, width.y ) ) );
}
void main() {
	float away = length( vPlace - middle ) / reach;
	float fade = 1.0 - smoothstep( 0.25, 1.0, away );
	float grid = strength * fade * max( 0.35 * lines( cell ), 0.8 * lines( 5.0 * cell ) );
	float dark = spot * exp( -500.0 * away * away );
	float alpha = grid + dark - grid * dark;
	gl_FragColor = vec4( colour * grid * ( 1.0 - dark ) / max( alpha, 1e-4 ), alpha );
}`;

export class Ground {
	/** @param {boolean} hasShadow false: a dark spot in its place */
	constructor(hasShadow) {
		this.uniforms = {
			colour: { value: new Color() },
			cell: { value: 0.2 },
			reach: { value: 8 },
			strength: { value: 0.5 },
			spot: { value: 0 },
			middle: { value: new Vector2() },
		};
		const plane = new PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
		this.grid = new Mesh(
			plane,
			new ShaderMaterial({
				uniforms: this.uniforms,
				vertexShader,
				fragmentShader,
				transparent: true,
				depthWrite: false,
			}),
		);
		this.shadow = new Mesh(plane, new ShadowMaterial({ opacity: 0.28, depthWrite: false }));
		this.shadow.receiveShadow = true;
		this.shadow.renderOrder = -1;
		// as far as the light's shadow reaches
		this.shadow.scale.setScalar(0.3);
		this.shadow.visible = hasShadow;
		this.group = new Group();
		this.group.add(this.shadow, this.grid);
	}

	/** Fits the grid to a character of a size in metres standing at a height. */
	fit(size, height) {
		const decade = 10 ** Math.floor(Math.log10(size));
		this.uniforms.cell.value = decade / 5;
		this.uniforms.reach.value = 6 * size;
		this.group.scale.setScalar(14 * size);
		this.group.position.y = height - 0.001 * size;
	}

	/** Goes along with a character that travels; the lines stay where they are. */
	follow(x, z) {
		this.group.position.x = x;
		this.group.position.z = z;
		this.uniforms.middle.value.set(x, z);
	}

	setTheme(colour, strength, shadow) {
		this.uniforms.colour.value.set(colour);
		this.uniforms.strength.value = strength;
		this.shadow.material.opacity = shadow;
		this.uniforms.spot.value = this.shadow.visible ? 0 : shadow;
	}
}
