import { admin } from './admin';
import { frame } from './frame';
import { home } from './home';
import { models } from './models';
import { people } from './people';
import { serving } from './serving';
import { shared } from './shared';

/** All words of the console. Another language is another set of these files. */
export const text = { ...shared, admin, frame, home, models, people, serving };
