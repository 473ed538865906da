import { type FieldError, fieldError } from '../../../core/errors/app-error.js';
import { readOutboundUrl } from '../../../core/security/outbound-url.js';
import type { CatalogChoice } from '../catalog/catalog.types.js';
import type { ExperimentConfig } from '../experiment.types.js';
import { type AskedVersion, checkVersionWeights } from './check-version-weights.js';

type Pretrained = ExperimentConfig['pretrained'];
/** As it is read; null: nothing was said. */
export type ReadPretrained = Omit<Pretrained, 'enabled'> & { readonly enabled: boolean | null };

/** What the operator placed for the chosen model. */
export interface PlacedWeights {
  readonly sha256: string;
}

const SHA256 = /^[0-9a-f]{64}$/;

export interface KnownWeights {
  /** What the operator's folder has for the chosen model. */
  readonly placed: PlacedWeights | null;
  /** The version that the config asks for; null: it asks for none. */
  readonly asked: AskedVersion | null;
}

/**
 * Without a word a training begins with the weights of the catalog where the operator placed some, and from scratch
 * elsewhere; the config that is kept says which, also which version of a model where the newest was asked for. A framework that takes no weights trains from scratch in any case.
 */
export function resolvePretrained(
  read: ReadPretrained,
  choice: CatalogChoice | null,
  { placed, asked }: KnownWeights,
): Pretrained {
  if (read.source === 'url') return { ...read, enabled: read.enabled ?? true };
  if (read.source === 'model') {
    const known = asked?.is === 'known' ? asked : null;
    return {
      ...{ ...read, enabled: read.enabled ?? true },
      ...{ version: read.version ?? known?.version ?? null, sha256: read.sha256 ?? known?.sha256 ?? null },
    };
  }
  const takesWeights = choice === null || choice.framework.hasPretrained;
  const enabled = takesWeights && (read.enabled ?? placed !== null);
  return { ...read, enabled, sha256: read.sha256 ?? (enabled ? (placed?.sha256 ?? null) : null) };
}

export function checkPretrained(
  { pretrained }: Pick<ExperimentConfig, 'pretrained'>,
  choice: CatalogChoice | null,
  { placed, asked }: KnownWeights,
  errors: FieldError[],
): void {
  if (!pretrained.enabled || !choice) return;
  const { framework, model } = choice;
  const say = (field: string, text: string, type?: string) =>
    void errors.push(fieldError(['body', 'pretrained', field], text, type));
  if (!framework.hasPretrained)
    return say('source', `${framework.title} has no pretrained weights: it trains from nothing`);
  if (pretrained.sha256 !== null && !SHA256.test(pretrained.sha256))
    return say('sha256', 'must be 64 lower-case hex digits');
  if (pretrained.source === 'url') return checkAddress(pretrained, say);
  if (pretrained.source === 'model') return checkVersionWeights(pretrained, asked, choice, say);
  if (placed === null)
    say(
      'source',
      `the operator has placed no weights of ${model.name} with their sha256: switch enabled off to train ` +
        'from scratch, or give an address of weights',
      'not_available',
    );
  else if (pretrained.sha256 !== placed.sha256)
    say('sha256', `the weights that the operator has placed have ${placed.sha256}`);
}

function checkAddress(
  { url, sha256 }: Pretrained,
  say: (field: string, text: string, type?: string) => void,
): void {
  const problem = url === null ? 'it is missing' : readOutboundUrl(url).problem;
  if (problem !== null) say('url', `must be an http or https address when source is url: ${problem}`);
  if (sha256 === null)
    say('sha256', 'is required when source is url: weights are used by it alone', 'missing');
}
