import { randomUUID } from 'node:crypto';

/** A well-formed name that nothing has. */
export const randomName = (): string => `n${randomUUID().slice(0, 18)}`;
