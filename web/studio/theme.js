// SPDX-License-Identifier: MIT
// Runs before anything is drawn, so that nothing flashes. A file of its own: the page's content security policy forbids
// scripts within it. Copied as it is by scripts/studio.sh.
document.documentElement.dataset.theme =
	localStorage.getItem('supple.theme') ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
