import { conflict } from '../../core/errors/app-error.js';
import type { Clock } from '../../core/ports/clock.js';
import { asTenantId, type TenantId } from '../../core/security/ids.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import { audit } from '../../models/audit/audit.commands.js';
import { SYSTEM_ACTOR } from '../../models/audit/audit.types.js';
import type { Database } from '../../models/orm/in-tenant.js';
import type { StateWaits } from '../../models/orm/state-waits.js';
import {
  type EndpointFinding,
  recordFinding,
  removeEndpoint,
} from '../../models/serving/endpoint.commands.js';
import { findEndpointById } from '../../models/serving/endpoint.queries.js';
import { statusAfter, mayMove } from '../../models/serving/endpoint.rules.js';
import type { EndpointRow, EndpointStatus } from '../../models/serving/serving.types.js';
import type { ServingInput } from '../../models/serving/serving-work.types.js';
import { withHeartbeat } from '../support/activity-context.js';
import {
  bringDown,
  ensureWorkload,
  OrderedAnew,
  takeAway,
  untilDown,
  untilTakenAway,
} from './serving-workload.js';

/**
 * The result of a look: the status now on the row; the requested state changed meanwhile, look again; its host has not
 * yet applied the request, and signals when it has; the endpoint is no more.
 */
export type Look =
  | { readonly kind: 'status'; readonly status: EndpointStatus }
  | { readonly kind: 'changed' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'gone' };

/** The steps of an endpoint whose host is chosen for it. */
export interface PlacedEndpointSteps {
  /** Brings the workload in line with the row's wish and the row in line with what runs. Idempotent. */
  lookAtPlacedEndpoint(input: ServingInput, isOverdue: boolean): Promise<Look>;
  /** Frees what runs and makes the endpoint FAILED with the reason. Idempotent. */
  giveUpPlacedEndpoint(input: ServingInput, reason: string): Promise<void>;
  /** Frees what runs when the work is canceled: the endpoint is STOPPED. Idempotent. */
  releasePlacedEndpoint(input: ServingInput): Promise<void>;
}

/**
 * The same steps, of endpoints that 0.1 began. Workers of 0.1, which run instances by themselves, take them too; those above
 * they do not know.
 */
interface EndpointSteps {
  lookAtEndpoint: PlacedEndpointSteps['lookAtPlacedEndpoint'];
  giveUpEndpoint: PlacedEndpointSteps['giveUpPlacedEndpoint'];
  releaseEndpoint: PlacedEndpointSteps['releasePlacedEndpoint'];
}

export type ServingActivities = PlacedEndpointSteps & EndpointSteps;

export interface ServingDeps {
  readonly database: Database;
  readonly states: StateWaits;
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** True when the inference server at this address answers its health question now. */
  readonly probe: (baseUrl: string, signal: AbortSignal) => Promise<boolean>;
}

const GONE = { kind: 'gone' } as const satisfies Look;
const WAITING = { kind: 'waiting' } as const satisfies Look;

export function createServingActivities(deps: ServingDeps): ServingActivities {
  const endOnce = async (
    input: ServingInput,
    status: 'FAILED' | 'STOPPED',
    message: string,
    signal: AbortSignal,
  ) => {
    const tenantId = asTenantId(input.tenantId);
    const endpoint = await deps.database.inTenant(tenantId, (tx) => findEndpointById(tx, input.endpointId));
    if (!endpoint || endpoint.attempt !== input.attempt) return GONE;
    // Nobody else follows an order that came while the attempt was being given up.
    const isDeleted = endpoint.wish === 'delete';
    await (isDeleted ? untilTakenAway : untilDown)(deps, tenantId, endpoint, signal);
    if (isDeleted || endpoint.wish === 'stop') return look(deps, input, false, signal);
    const over = { message, instances: [] };
    // A start that was given up before its first step: it leads to FAILED by way of CONNECTING.
    const hasNotBegun = status === 'FAILED' && endpoint.status === 'STOPPED';
    if (hasNotBegun) await record(deps, tenantId, endpoint, { status: 'CONNECTING', ...over });
    const before = hasNotBegun ? { ...endpoint, status: 'CONNECTING' as const } : endpoint;
    return record(deps, tenantId, before, { status, ...over });
  };
  const end: typeof endOnce = async (...given) => {
    for (;;) {
      const ended = await unlessOrderedAnew(endOnce(...given));
      // People ordered something else under way: the row still says that the endpoint is held up.
      if (ended.kind !== 'changed') return ended;
    }
  };
  const steps: PlacedEndpointSteps = {
    lookAtPlacedEndpoint: (input, isOverdue) =>
      withHeartbeat(({ signal }) => unlessOrderedAnew(look(deps, input, isOverdue, signal))),
    giveUpPlacedEndpoint: (input, reason) =>
      withHeartbeat(async ({ signal }) => void (await end(input, 'FAILED', reason, signal))),
    releasePlacedEndpoint: (input) =>
      withHeartbeat(
        async ({ signal }) => void (await end(input, 'STOPPED', 'Its work was canceled.', signal)),
      ),
  };
  return {
    ...steps,
    lookAtEndpoint: steps.lookAtPlacedEndpoint,
    giveUpEndpoint: steps.giveUpPlacedEndpoint,
    releaseEndpoint: steps.releasePlacedEndpoint,
  };
}

const unlessOrderedAnew = (step: Promise<Look>): Promise<Look> =>
  step.catch((error: unknown) => {
    if (error instanceof OrderedAnew) return { kind: 'changed' };
    throw error;
  });

async function look(
  deps: ServingDeps,
  input: ServingInput,
  isOverdue: boolean,
  signal: AbortSignal,
): Promise<Look> {
  const tenantId = asTenantId(input.tenantId);
  const endpoint = await deps.database.inTenant(tenantId, (tx) => findEndpointById(tx, input.endpointId));
  if (!endpoint || endpoint.attempt !== input.attempt) return GONE;
  if (endpoint.wish === 'delete') return remove(deps, tenantId, endpoint);
  if (endpoint.wish === 'run') return keepUp(deps, tenantId, endpoint, isOverdue, signal);
  if (!(await bringDown(deps, tenantId, endpoint))) return WAITING;
  return record(
    deps,
    tenantId,
    endpoint,
    endpoint.wish === 'stop'
      ? { status: 'STOPPED', message: null, instances: [] }
      : { status: 'FAILED', message: endpoint.statusMessage, instances: [] },
  );
}

async function remove(deps: ServingDeps, tenantId: TenantId, endpoint: EndpointRow): Promise<Look> {
  if (!(await takeAway(deps, tenantId, endpoint))) return WAITING;
  await deps.database.inTenant(tenantId, async (tx) => {
    if (await removeEndpoint(tx, endpoint.id))
      await audit(tx, tenantId, SYSTEM_ACTOR, {
        action: 'serving.removed',
        target: { kind: 'serving_endpoint', id: endpoint.id, label: endpoint.name },
      });
  });
  return GONE;
}

async function keepUp(
  deps: ServingDeps,
  tenantId: TenantId,
  endpoint: EndpointRow,
  isOverdue: boolean,
  signal: AbortSignal,
): Promise<Look> {
  const isUp =
    endpoint.status === 'CONNECTING' || endpoint.status === 'RUNNING' || endpoint.status === 'DEGRADED';
  const state = await ensureWorkload(deps, tenantId, endpoint, isUp);
  if (!isUp)
    return record(deps, tenantId, endpoint, {
      status: 'CONNECTING',
      message: state?.message ?? 'Starting.',
      instances: [],
    });
  const instances = await answering(deps, state?.endpoints ?? [], signal);
  const verdict = statusAfter(endpoint.status, {
    phase: state?.phase ?? 'pending',
    message: state?.message ?? '',
    ready: instances.length,
    replicas: endpoint.replicas,
    isOverdue,
  });
  if (verdict.status === 'FAILED') await bringDown(deps, tenantId, endpoint);
  return record(deps, tenantId, endpoint, {
    ...verdict,
    instances: verdict.status === 'FAILED' ? [] : instances,
  });
}

async function answering(deps: ServingDeps, urls: readonly string[], signal: AbortSignal): Promise<string[]> {
  const answers = await Promise.all(urls.map((url) => deps.probe(url, signal)));
  return urls.filter((_, index) => answers[index]);
}

async function record(
  deps: ServingDeps,
  tenantId: TenantId,
  endpoint: EndpointRow,
  finding: EndpointFinding,
): Promise<Look> {
  if (!mayMove(endpoint.status, finding.status))
    throw conflict(`An endpoint does not become ${finding.status} from ${endpoint.status}.`);
  const isWritten = await deps.database.inTenant(tenantId, async (tx) => {
    if (!(await recordFinding(tx, endpoint.id, endpoint.revision, finding, deps.clock.now()))) return false;
    // A look at what has failed already finds nothing new.
    if (finding.status === 'FAILED' && endpoint.status !== 'FAILED')
      await audit(tx, tenantId, SYSTEM_ACTOR, {
        action: 'serving.run',
        target: { kind: 'serving_endpoint', id: endpoint.id, label: endpoint.name },
        outcome: 'failed',
      });
    return true;
  });
  return isWritten ? { kind: 'status', status: finding.status } : { kind: 'changed' };
}
