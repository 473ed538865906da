import { existsSync, readdirSync } from 'node:fs';
import type { Arguments } from '../arguments.js';
import { cacheDir, platformKey, readEngineLock } from '../engines/engine-lock.js';
import { choosePorts } from '../engines/ports.js';
import {
  checkDisk,
  checkNode,
  checkPython,
  type Finding,
  nearestFolder,
} from '../supervisor/prerequisites.js';
import { DEFAULT_PORT } from '../supervisor/environment.js';
import { StateFile } from '../supervisor/state.js';
import { lockHolder } from '../supervisor/lock.js';

/** Checks what this machine needs and says how each problem is solved. @returns 1 when there is a problem */
export async function doctor(args: Arguments): Promise<number> {
  const findings = [
    checkNode(),
    await checkPython(),
    checkDisk(nearestFolder(args.dataDir)),
    ...checkEngines(),
    await checkPort(args),
  ];
  for (const { what, found, problem } of findings)
    console.log(`  ${problem === null ? 'ok  ' : '!!  '}${what.padEnd(40)} ${problem ?? found}`);
  const problems = findings.filter((finding) => finding.problem !== null).length;
  console.log(
    problems === 0
      ? 'This machine has what is needed.'
      : `${problems} problem${problems === 1 ? '' : 's'} to solve first.`,
  );
  return problems === 0 ? 0 : 1;
}

function checkEngines(): Finding[] {
  const { temporal, weed } = readEngineLock();
  const cached = existsSync(`${cacheDir()}/engines`) ? readdirSync(`${cacheDir()}/engines`) : [];
  return [temporal, weed].map((pin) => {
    const what = `${pin.binary} ${pin.version}`;
    if (process.env[pin.variable]) return { what, found: `named by ${pin.variable}`, problem: null };
    if (pin.platforms[platformKey()] === undefined)
      return {
        what,
        found: 'none',
        problem: `there is no pinned binary for ${platformKey()}: install it and set ${pin.variable}`,
      };
    return {
      what,
      found: cached.includes(`${pin.package}-${pin.version}`)
        ? 'in the cache'
        : `fetched at the first start (${pin.sizeMb} MB)`,
      problem: null,
    };
  });
}

async function checkPort(args: Arguments): Promise<Finding> {
  const wanted = args.port ?? (Number(process.env.SERVICE_PORT) || DEFAULT_PORT);
  const what = `port ${wanted}`;
  const used = new StateFile(args.dataDir).current.children.api?.ports.http;
  if (lockHolder(args.dataDir) !== null)
    return { what: used === undefined ? what : `port ${used}`, found: 'the platform runs', problem: null };
  const [free] = await choosePorts([wanted]);
  if (free !== wanted && wanted === used)
    return {
      what,
      found: 'busy, perhaps by what is left of the last start, which the next one takes over',
      problem: null,
    };
  return {
    what,
    found: free === wanted ? 'free' : `busy: another one will be used (now ${free})`,
    problem: null,
  };
}
