import { frame } from './frame';
import { people } from './people';
import { errors, shared } from './shared';

/** The words that the first page needs. Whatever can stand before the sign-in takes its words from here, so that those of the areas come with their pages. */
export const text = { errors, frame, people, shared };
