import type { Stage } from '../model.types.js';
import { kpisOf, missedTargets } from './kpi.rules.js';
import type { PromotionCheck } from './promotion.types.js';

export const checkVersion = (name: string, version: number, isThere: boolean): PromotionCheck => ({
  key: 'version',
  result: isThere ? 'passed' : 'failed',
  message: isThere
    ? `${name} version ${version} is registered.`
    : `${name} version ${version} is not there any more.`,
});

export const checkStage = (stage: Stage): PromotionCheck => ({
  key: 'stage',
  result: stage === 'Archived' ? 'failed' : 'passed',
  message:
    stage === 'Archived'
      ? 'The version is Archived; move it to Staging or None first.'
      : `The version is not Archived (its stage is ${stage}).`,
});

/** @param problem what is wrong with the first file that cannot be read as registered, or null */
export const checkArtifact = (files: number, problem: string | null): PromotionCheck => ({
  key: 'artifact',
  result: problem === null ? 'passed' : 'failed',
  message:
    problem ?? `${files} ${files === 1 ? 'file was' : 'files were'} read and match their recorded sha256.`,
});

export interface Smoke {
  /** Name of the endpoint. */
  readonly name: string;
  readonly validation: Readonly<Record<string, unknown>> | null;
}

/** @param smokes last smoke of each endpoint that serves the version @param targets the tenant's `kpi_targets` */
export function checkSmoke(
  smokes: readonly Smoke[],
  targets: Readonly<Record<string, unknown>>,
): PromotionCheck {
  const of = (result: PromotionCheck['result'], message: string): PromotionCheck => ({
    key: 'smoke_kpi',
    result,
    message,
  });
  if (Object.keys(targets).length === 0) return of('skipped', 'The tenant has no KPI targets.');
  const judged = smokes.filter(({ validation }) => Object.keys(kpisOf(validation)).length > 0);
  if (judged.length === 0) return of('skipped', 'No endpoint that serves the version has a smoke result.');
  const missed = judged.flatMap(({ name, validation }) =>
    missedTargets(kpisOf(validation), targets).map((each) => ({ ...each, endpoint: name })),
  );
  if (missed.length === 0)
    return of(
      'passed',
      `No smoke KPI misses its target (endpoints: ${judged.map(({ name }) => name).join(', ')}).`,
    );
  const named = missed.map(
    ({ endpoint, name, value, target }) =>
      `${name} of endpoint ${endpoint} is ${value}, its target ${target}`,
  );
  return of('failed', `Smoke KPIs miss their targets: ${named.join('; ')}.`);
}

/** The first failed check in words; null when all are green. */
export function failureOf(checks: readonly PromotionCheck[]): string | null {
  const failed = checks.filter(({ result }) => result === 'failed');
  return failed.length === 0 ? null : failed.map(({ message }) => message).join(' ');
}
