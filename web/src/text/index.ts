import { frame } from './frame';
import { models } from './models';
import { people } from './people';
import { serving } from './serving';
import { shared } from './shared';

/** All words of the console. Another language is another set of these files. */
export const text = { ...shared, frame, models, people, serving };
