import { randomInt } from 'node:crypto';
import { type Arguments, type OwnFlag, UsageError } from '../arguments.js';
import { MISBEHAVIOURS, type Misbehaviour, type SimulationOptions } from './simulation.types.js';

const MOST_DEVICES = 5000;
const DEFAULT_DEVICES = 50;
/** What a timer of Node can wait. */
const LONGEST_S = 20 * 86_400;
/** As the agent for devices waits. */
const LONGEST_PAUSE_S = 60;
/** What the platform takes as an id, less the number behind it. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Pure. @param url of the platform @throws UsageError naming the flag and what would be right */
export function simulationOptions({ own }: Pick<Arguments, 'own'>, url: string): SimulationOptions {
  const number = (flag: OwnFlag, least: number, most: number, otherwise: number | null) =>
    numberOf(flag, own[flag], least, most) ?? otherwise;
  const prefix = own.prefix ?? 'simulated';
  if (!PREFIX.test(prefix))
    throw new UsageError(
      `--prefix must be 1 to 100 letters, digits, '.', '_' or '-', beginning with a letter or digit, not "${prefix}".`,
    );
  return {
    ...{ url, prefix, tenant: own.tenant ?? 'demo', longestPauseS: LONGEST_PAUSE_S },
    count: Math.floor(number('count', 1, MOST_DEVICES, null) ?? DEFAULT_DEVICES),
    durationS: number('duration', 0, LONGEST_S, null),
    intervalS: number('interval', 0.1, 86_400, null),
    failDeploys: number('fail-deploys', 0, 1, null) ?? 0,
    seed: Math.floor(number('seed', 0, 2 ** 31, null) ?? randomInt(1, 2 ** 31)),
    misbehave: new Set((own.misbehave ?? '').split(',').filter(Boolean).map(misbehaviourOf)),
  };
}

function numberOf(flag: OwnFlag, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < least || value > most)
    throw new UsageError(`--${flag} must be a number from ${least} to ${most}, not "${text}".`);
  return value;
}

function misbehaviourOf(word: string): Misbehaviour {
  const known = MISBEHAVIOURS.find((name) => name === word.trim());
  if (known === undefined)
    throw new UsageError(`--misbehave takes ${MISBEHAVIOURS.join(', ')}, parted by commas, not "${word}".`);
  return known;
}

/** Without a slash at its end. @throws UsageError */
export function platformAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new UsageError(`--url must be an address such as https://ml.example.com, not "${text}".`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
