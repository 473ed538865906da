import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { TENANT_ATTRIBUTE } from './temporal-workflow-engine.js';

const RETENTION_S = 30 * 24 * 3600;
const KEYWORD = 2;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
/** Managed clusters make namespaces and attributes by their own console: PERMISSION_DENIED, UNIMPLEMENTED. */
const NOT_OURS = new Set([7, 12]);

/** Makes the namespace (30 days' retention) and its search attribute where they are missing. Idempotent. */
export async function prepareNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (codeOf(error) !== NOT_FOUND) throw error;
    await tolerate([ALREADY_EXISTS], () =>
      connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: RETENTION_S as never },
      }),
    );
  }
  await tolerate([ALREADY_EXISTS, ...NOT_OURS], async () => {
    const known = await connection.operatorService.listSearchAttributes({ namespace });
    if (known.customAttributes?.[TENANT_ATTRIBUTE.name] !== undefined) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [TENANT_ATTRIBUTE.name]: KEYWORD },
    });
  });
}

const codeOf = (error: unknown): number | null => (isGrpcServiceError(error) ? error.code : null);

async function tolerate(codes: readonly number[], call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!codes.includes(codeOf(error) ?? -1)) throw error;
  }
}
