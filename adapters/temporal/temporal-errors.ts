import { isGrpcServiceError, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { AppError, unavailable } from '../../core/errors/app-error.js';

const NOT_FOUND = 5;
/**
 * CANCELLED (by a close), UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE, DATA_LOSS: what
 * Temporal says while its own database is away is no verdict on the work.
 */
const AWAY = new Set([1, 2, 4, 8, 10, 13, 14, 15]);
/** PERMISSION_DENIED, UNAUTHENTICATED: the installation's fault, not that of the work. */
const CLOSED = new Set([7, 16]);
/** Name of the detail by which Temporal distinguishes a missing namespace from a missing workflow: both have the code NOT_FOUND. */
const NAMESPACE_DETAIL = 'NamespaceNotFoundFailure';

/** The namespace that the settings name is not there (yet): every call fails, and none says anything of a workflow. */
export function isMissingNamespace(error: unknown): boolean {
  if (error instanceof NamespaceNotFoundError) return true;
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) return false;
  return error.metadata
    .get('grpc-status-details-bin')
    .some((detail) => Buffer.from(detail).includes(NAMESPACE_DETAIL));
}

/** The namespace answers that it knows no such workflow, or none that runs. Final. */
export const isMissingWorkflow = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError ||
  (isGrpcServiceError(error) && error.code === NOT_FOUND && !isMissingNamespace(error));

/** The only place that turns what Temporal's client throws into the error vocabulary. */
export function translateTemporalError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const cause = isGrpcServiceError(error) ? error : (error as Error).cause;
  if (isMissingNamespace(error) || isMissingNamespace(cause))
    return unavailable(
      'Temporal does not know the namespace of the platform: look at TEMPORAL_NAMESPACE; a worker makes it where it may, and durable work starts once it is there.',
      error,
    );
  if (!isGrpcServiceError(cause)) return error;
  if (AWAY.has(cause.code))
    return unavailable('Temporal cannot be reached right now; durable work starts once it is back.', error);
  if (CLOSED.has(cause.code))
    return unavailable(
      'Temporal refuses the sign-in of the platform: look at SERVICE_TEMPORAL_API_KEY and SERVICE_TEMPORAL_TLS_CERT; durable work starts once it is repaired.',
      error,
    );
  return error;
}
