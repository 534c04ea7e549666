import { readFilters } from './api.js';

/** Shows the link to Explore, where there is a curve to draw. */
const link = document.getElementById('explore-link');
const { benchmarks } = await readFilters();
if (link !== null && benchmarks.some(({ explorable }) => explorable)) link.hidden = false;
