// SPDX-License-Identifier: MIT
// Messages at the edge of the view: what went wrong, in the library's own words, and what is being worked on.
import { element, icon } from './dom.js';

const tellMilliseconds = 4000;
const errorMilliseconds = 12000;
// A guess that comes nearer to the end than this was wrong.
const mostGuessed = 0.98;
// Work shorter than this is not worth a message.
const busyMilliseconds = 150;

export class Notices {
	constructor(toasts, work) {
		this.toasts = toasts;
		this.work = work;
	}

	tell(text) {
		this.toast(text, 'info', tellMilliseconds);
	}

	error(text) {
		this.toast(text, 'error', errorMilliseconds);
	}

	toast(text, kind, milliseconds) {
		const close = element('button', { class: 'icon-button', 'aria-label': 'Close message' }, icon('close'));
		const toast = element(
			'div',
			{ class: `toast ${kind}`, role: kind === 'error' ? 'alert' : 'status' },
			icon(kind === 'error' ? 'warning' : 'info'),
			element('p', {}, text),
			close,
		);
		const remove = () => toast.remove();
		close.addEventListener('click', remove);
		setTimeout(remove, milliseconds);
		this.toasts.append(toast);
		while (this.toasts.children.length > 4) {
			this.toasts.firstChild.remove();
		}
	}

	/** Shows that something is being worked on until the function that is returned is called. */
	busy(label, cancel) {
		const bar = element('div', { class: 'bar', role: 'progressbar', 'aria-label': label });
		const time = element('span', { class: 'work-time' });
		const row = element('div', { class: 'work', role: 'status' }, element('span', {}, label), bar, time);
		const begin = performance.now();
		const elapsed = () => (performance.now() - begin) / 1000;
		// what does not say how far it is says at least how long it has been at it
		const clock = setInterval(() => {
			if (!bar.classList.contains('known') && elapsed() > 2) {
				time.textContent = `${Math.round(elapsed())} s`;
			}
		}, 1000);
		if (cancel) {
			const stop = element('button', { class: 'icon-button', 'aria-label': `Stop: ${label}` }, icon('close'));
			stop.addEventListener('click', cancel);
			row.append(stop);
		}
		const timer = setTimeout(() => this.work.append(row), busyMilliseconds);
		const done = () => {
			clearTimeout(timer);
			clearInterval(clock);
			clearInterval(done.guess);
			row.remove();
		};
		done.progress = (share) => {
			bar.classList.add('known');
			bar.style.setProperty('--share', share);
			bar.setAttribute('aria-valuenow', Math.round(100 * share));
			const left = share > 0 ? (elapsed() * (1 - share)) / share : Infinity;
			const isKnown = elapsed() > 1 && Number.isFinite(left);
			time.textContent = `${Math.round(100 * share)} %${isKnown ? ` · ${Math.ceil(left)} s left` : ''}`;
		};
		/** What cannot say how far it is, but took so many seconds before: shown as that, and never as nearly done. */
		done.expect = (seconds) => {
			done.guess = setInterval(() => {
				const share = elapsed() / Math.max(seconds, 0.1);
				if (share < mostGuessed) {
					done.progress(share);
				} else {
					bar.classList.remove('known');
					bar.removeAttribute('aria-valuenow');
					time.textContent = `longer than expected, ${Math.round(elapsed())} s`;
				}
			}, 200);
		};
		return done;
	}
}
