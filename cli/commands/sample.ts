import type { Arguments } from '../arguments.js';
export async function sample(_args: Arguments): Promise<number> {
  return 1;
}
