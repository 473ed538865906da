import { frame } from './frame';
import { people } from './people';
import { shared } from './shared';
import { training } from './training';

/** All words of the console. Another language is another set of these files. */
export const text = { ...shared, frame, people, training };
