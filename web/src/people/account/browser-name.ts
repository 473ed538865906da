import { text } from '../../text';

/** Browser and system out of what a program says of itself. */
export interface BrowserName {
  readonly browser: string;
  readonly system: string | null;
}

/** The first that fits: later ones also stand in the words of earlier ones. */
const BROWSERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\//, text.people.sessions.headless],
  [/\bChromium\//, 'Chromium'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** @returns null when nothing is known */
export function browserName(userAgent: string | null): BrowserName | null {
  if (userAgent === null || userAgent.trim() === '') return null;
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser !== undefined) return { browser, system };
  // A program names itself first: curl/8.5.0, python-requests/2.32.
  const program = /^[\w.+-]{1,40}/.exec(userAgent)?.[0];
  return program === undefined ? null : { browser: program, system };
}
