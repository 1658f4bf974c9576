// SPDX-License-Identifier: MIT
// The bar of a tracker that moves what is shown: how its stream is, calibrate, record. There where `supple live --studio`
// serves the page.
import { button, element } from './dom.js';
import { liveClip } from './feed.js';
import { homeAddress, isLive } from './home.js';

/** What a status says, and what to do about it. */
function describe({ state, port, replay, rate }) {
	const texts = {
		waiting: replay ? 'The recording has no packets' : `Waiting for the tracker: send VMC to this computer, port ${port}`,
		'no-frames': `Packets arrive on port ${port}, but no poses: is VMC what the tracker sends?`,
		'not-ready': 'The tracker is there, but has no avatar loaded',
		live: `${replay ? 'Recording plays' : 'Live'} · ${Math.round(rate)} poses a second`,
		lost: 'The tracker has stopped sending',
		other: 'The tracker moves another character: open that one again, or restart supple live with this file',
		gone: 'supple live has ended: start it again to go on',
	};
	return texts[state] ?? '';
}

export class Live {
	constructor({ store, session, notices, root }) {
		Object.assign(this, { store, session, notices, root });
		this.takes = 0;
		this.recordedSince = 0;
		this.text = element('span', { class: 'live-text', role: 'status' }, 'Connecting to supple live');
		this.calibrate = button('Calibrate', {
			tip: 'Stand where the middle is to be and look ahead, then press: the character does the same',
			press: () => this.sendCalibrate(),
		});
		this.record = button('Record', {
			symbol: 'film',
			tip: 'Keeps the motion as a clip, to be played, baked and saved',
			press: () => this.toggleRecord(),
		});
		this.show = button('Show live', {
			tip: 'Back from a clip to the tracker',
			press: () => store.set({ clip: liveClip, playing: true }),
		});
		this.bar = element(
			'div',
			{ class: 'live-bar', role: 'group', 'aria-label': 'Tracker' },
			element('i', { class: 'live-dot', 'aria-hidden': 'true' }),
			this.text,
			this.show,
			this.calibrate,
			this.record,
		);
		session.simulation.on('live', ({ status }) => this.showStatus(status));
		store.watch(['clip'], ({ clip }) => (this.show.hidden = clip === liveClip));
	}

	/** Listens to the tracker, where there is one. */
	start() {
		if (isLive) {
			this.root.append(this.bar);
			this.setReady(false);
			this.session.simulation.tell('live', { address: homeAddress('live') });
			this.store.set({ clip: liveClip, playing: true });
		}
	}

	setReady(ready) {
		this.calibrate.disabled = !ready;
		// what was begun can be ended
		this.record.disabled = !ready && this.recordedSince === 0;
	}

	showStatus(status) {
		this.status = status;
		this.bar.dataset.state = status.state;
		this.setReady(status.state === 'live');
		const seconds = Math.round((performance.now() - this.recordedSince) / 1000);
		const text = describe(status);
		// not read aloud anew with every count
		if (this.text.dataset.state !== status.state || status.state === 'live') {
			this.text.dataset.state = status.state;
			this.text.textContent = this.recordedSince > 0 ? `${text} · recording ${seconds} s` : text;
		}
	}

	async sendCalibrate() {
		try {
			const response = await fetch(homeAddress('calibrate'), { method: 'POST' });
			if (!response.ok) {
				throw new Error('no pose yet');
			}
			this.notices.tell('Calibrated: where you stand is the middle, where you look is ahead.');
		} catch {
			this.notices.error('Could not calibrate: no pose has arrived from the tracker yet.');
		}
	}

	async toggleRecord() {
		const on = this.recordedSince === 0;
		this.recordedSince = on ? performance.now() : 0;
		this.record.setAttribute('aria-pressed', on);
		this.record.lastChild.textContent = on ? 'Stop' : 'Record';
		this.record.setAttribute('aria-label', on ? 'Stop recording' : 'Record');
		const take = await this.session.simulation.request('take', { on });
		if (on) {
			return;
		}
		if (!take) {
			this.notices.error('Nothing was recorded: no pose arrived.');
			return;
		}
		this.takes += 1;
		await this.session.addMotion({ name: `Take ${this.takes}`, take });
		this.notices.tell(`Take ${this.takes}: ${take.times.at(-1).toFixed(1)} s kept as a clip. Bake or save it on the right.`);
	}
}
