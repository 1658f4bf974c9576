// SPDX-License-Identifier: MIT
// The design: everything that flesh is made from and that can be undone. Plain values that are replaced, never changed in
// place, so that a state of the past is one reference. Settings files (docs/files.md) are written from it and read into
// it.

/**
 * @typedef {object} Design
 * @property {string} method
 * @property {Record<string, Record<string, number>>} parameters of each method, those that differ from their standard
 * @property {object[]} regions soft regions as in settings files, without what is painted
 * @property {(Float32Array|null)[]} paint softness of each vertex, by instance; empty where nothing was painted here
 * @property {Record<string, Record<string, number>>} tissues of each layer, what differs from its standard
 * @property {{boneWidth?: number, shares?: Record<string, number>}} layers
 */

/** @returns {Design} */
export function emptyDesign(method) {
	return { method, parameters: {}, regions: [], paint: [], tissues: {}, layers: {} };
}

const isEmpty = (object) => Object.keys(object).length === 0;

function roundPaint(values) {
	return Array.from(values, (value) => Math.round(value * 1000) / 1000);
}

/** The settings that the library and the command line take. */
export function toSettings(design, method = design.method) {
	const settings = { method };
	const parameters = design.parameters[method] ?? {};
	if (!isEmpty(parameters)) {
		settings.parameters = { ...parameters };
	}
	const softness = design.regions.map((region) => ({ ...region }));
	design.paint.forEach((values, instance) => {
		if (values) {
			softness.push({ name: 'painted here', shape: 'values', instance, values: roundPaint(values) });
		}
	});
	if (softness.length > 0) {
		settings.softness = softness;
	}
	if (!isEmpty(design.layers)) {
		settings.layers = { ...design.layers };
	}
	if (!isEmpty(design.tissues)) {
		settings.materials = { ...design.tissues };
	}
	return settings;
}

/** The text of a settings file: numbers of vertices in one line each. */
export function toText(settings) {
	const lines = [];
	const text = JSON.stringify(
		settings,
		(key, value) =>
			key === 'values' || key === 'vertices' ? `line ${lines.push(JSON.stringify(value)) - 1}` : value,
		'\t',
	);
	return `${text.replace(/"line (\d+)"/g, (_, index) => lines[index])}\n`;
}

/** A design out of a settings file; other methods keep the parameters that they have in `base`. */
export function fromSettings(settings, base) {
	const method = settings.method ?? base.method;
	const softness = settings.softness ?? [];
	const paint = [];
	for (const { shape, instance = 0, values } of softness) {
		if (shape === 'values') {
			paint[instance] = Float32Array.from(values);
		}
	}
	return {
		method,
		parameters: { ...base.parameters, [method]: { ...settings.parameters } },
		regions: softness.filter(({ shape }) => shape !== 'values'),
		paint: Array.from(paint, (values) => values ?? null),
		tissues: settings.materials ?? {},
		layers: settings.layers ?? {},
	};
}

export function setParameter(design, method, name, value, standard) {
	const parameters = { ...design.parameters[method] };
	if (value === standard) {
		delete parameters[name];
	} else {
		parameters[name] = value;
	}
	return { ...design, parameters: { ...design.parameters, [method]: parameters } };
}

export function setRegion(design, index, fields) {
	return { ...design, regions: design.regions.map((region, i) => (i === index ? { ...region, ...fields } : region)) };
}

export function setTissue(design, layer, name, value) {
	return { ...design, tissues: { ...design.tissues, [layer]: { ...design.tissues[layer], [name]: value } } };
}

const withoutSwing = ({ frequency, damping, ...rest }) => JSON.stringify(rest);

/** What has to happen for `next` to be seen where `before` is: { build, parameters, regions }. */
export function compareDesigns(before, next, method, table) {
	const change = { build: false, parameters: [], regions: [] };
	const isLive = new Map(table.parameters.map(({ name, live }) => [name, live]));
	const old = before.parameters[method] ?? {};
	const now = next.parameters[method] ?? {};
	for (const { name, standard } of table.parameters) {
		const value = now[name] ?? standard;
		if ((old[name] ?? standard) !== value) {
			if (isLive.get(name)) {
				change.parameters.push({ name, value });
			} else {
				change.build = true;
			}
		}
	}
	change.build ||= before.paint !== next.paint || before.tissues !== next.tissues || before.layers !== next.layers;
	change.build ||= before.regions.length !== next.regions.length;
	next.regions.forEach((region, i) => {
		const was = before.regions[i];
		if (was && was !== region) {
			change.build ||= withoutSwing(was) !== withoutSwing(region);
			change.regions.push({ region: i, frequency: region.frequency ?? 0, damping: region.damping ?? 0 });
		}
	});
	return change;
}
