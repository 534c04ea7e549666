/** The program of `watchdog.ts`: the end of its input is the end of the farm that it watches. */
import { text } from 'node:stream/consumers';
import { endWhatIsLeft } from './leftovers.ts';
import type { WatchedFarm } from './watchdog.ts';

const told = await text(process.stdin);
if (told !== '') await endWhatIsLeft(JSON.parse(told) as WatchedFarm);
