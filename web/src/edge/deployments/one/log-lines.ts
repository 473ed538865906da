import { stampIn, type Zone } from '../../../shared/moment';
import type { LogLine } from '../queries';

/** A line as logs are read: when, at which step, which device, what. Words that viewers know mark failures. */
export function logText({ at, step, device_id: device, message }: LogLine, zone: Zone): string {
  const time = stampIn(at, zone);
  const level = step === 'failed' ? 'ERROR' : 'INFO ';
  const place = [step, device].filter((part) => part !== null).join(' ');
  return place === '' ? `${time} ${level} ${message}` : `${time} ${level} [${place}] ${message}`;
}
