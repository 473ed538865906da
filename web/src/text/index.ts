import { admin } from './admin';
import { datasets } from './datasets';
import { frame } from './frame';
import { home } from './home';
import { models } from './models';
import { people } from './people';
import { serving } from './serving';
import { shared } from './shared';
import { sources, usage } from './sources';
import { training } from './training';

/** All words of the console. Another language is another set of these files. */
export const text = {
  ...shared,
  admin,
  datasets,
  frame,
  home,
  models,
  people,
  serving,
  sources,
  training,
  usage,
};
