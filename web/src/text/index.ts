import { datasets } from './datasets';
import { frame } from './frame';
import { people } from './people';
import { shared } from './shared';
import { sources, usage } from './sources';

/** All words of the console. Another language is another set of these files. */
export const text = { ...shared, frame, people, datasets, sources, usage };
