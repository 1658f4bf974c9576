// SPDX-License-Identifier: MIT
// Curves over the last seconds: how long a step takes, how much volume is lost, energy. One colour for each stage.

const seconds = 6;

export const plotKinds = {
	time: { title: 'Time of a step', unit: 'ms', read: ({ milliseconds }) => milliseconds },
	volume: { title: 'Volume error', unit: '%', read: ({ measure }) => 100 * (measure?.volumeError ?? NaN) },
	stretch: { title: 'Largest stretch', unit: '%', read: ({ measure }) => 100 * (measure?.stretch ?? NaN) },
	energy: { title: 'Energy', unit: 'J', read: ({ measure }) => measure?.energy ?? NaN },
};

export class Plot {
	constructor(kind) {
		this.kind = plotKinds[kind];
		this.canvas = document.createElement('canvas');
		this.canvas.className = 'plot';
		this.canvas.setAttribute('role', 'img');
		this.curves = [[], []];
		this.names = [];
	}

	clear() {
		this.curves = [[], []];
	}

	/** @param {object[]} stages of one frame */
	add(stages) {
		const moment = performance.now();
		this.curves.forEach((curve, i) => {
			if (!stages[i]) {
				curve.length = 0;
				return;
			}
			curve.push({ moment, value: this.kind.read(stages[i]) });
			while (moment - curve[0].moment > 1000 * seconds) {
				curve.shift();
			}
		});
	}

	draw() {
		const { canvas } = this;
		const width = canvas.clientWidth;
		const height = canvas.clientHeight;
		if (width === 0) {
			return;
		}
		const ratio = window.devicePixelRatio;
		if (canvas.width !== Math.round(width * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		const context = canvas.getContext('2d');
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		const style = getComputedStyle(canvas);
		const [low, high] = this.findRange();
		this.drawFrame(context, style, width, height, low, high);
		const top = 20;
		const y = (value) => height - 5 - ((value - low) / (high - low)) * (height - top - 8);
		this.curves.forEach((curve, i) => {
			context.strokeStyle = style.getPropertyValue(i === 0 ? '--curve-a' : '--curve-b');
			context.lineWidth = 1.5;
			context.beginPath();
			curve.forEach(({ moment, value }) => {
				if (Number.isFinite(value)) {
					context.lineTo(width * (1 - (curve.at(-1).moment - moment) / (1000 * seconds)), y(value));
				}
			});
			context.stroke();
		});
		this.drawValues(context, style, width);
	}

	findRange() {
		const values = this.curves.flatMap((curve) => curve.map(({ value }) => value)).filter(Number.isFinite);
		let low = Math.min(0, ...values);
		let high = Math.max(0, ...values);
		// steadier than the extremes themselves
		const step = 10 ** Math.floor(Math.log10(Math.max(high - low, 1e-6))) / 2;
		low = Math.floor(low / step) * step;
		high = Math.ceil(high / step) * step;
		return high > low ? [low, high] : [0, 1];
	}

	drawFrame(context, style, width, height, low, high) {
		context.font = `11px ${style.fontFamily}`;
		context.fillStyle = style.getPropertyValue('--text-dim');
		context.textAlign = 'left';
		context.fillText(this.kind.title, 0, 11);
		context.strokeStyle = style.getPropertyValue('--line');
		context.lineWidth = 1;
		const zero = height - 5 - ((0 - low) / (high - low)) * (height - 28);
		context.beginPath();
		context.moveTo(0, Math.round(zero) + 0.5);
		context.lineTo(width, Math.round(zero) + 0.5);
		context.stroke();
	}

	drawValues(context, style, width) {
		context.textAlign = 'right';
		let x = width;
		const texts = [];
		[1, 0].forEach((i) => {
			const value = this.curves[i].at(-1)?.value;
			if (value === undefined) {
				return;
			}
			const text = Number.isFinite(value)
				? `${value.toFixed(Math.abs(value) < 10 ? 2 : 1)} ${this.kind.unit}`
				: '–';
			context.fillStyle = style.getPropertyValue(i === 0 ? '--curve-a' : '--curve-b');
			context.fillText(text, x, 11);
			x -= context.measureText(text).width + 8;
			texts.unshift(`${this.names[i] ?? ''} ${text}`);
		});
		this.canvas.setAttribute('aria-label', `${this.kind.title}: ${texts.join(', ')}`);
	}
}
