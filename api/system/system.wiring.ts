import { temporalAccess } from '../../adapters/temporal/temporal-access.js';
import { checkMailDirectory, checkSmtp } from '../../adapters/smtp/mail-health.js';
import { mailDirectory } from '../../adapters/smtp/open-mailer.js';
import type { ForwardedHeaders } from '../http/guards/forwarded-headers.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { AuditController } from './audit.controller.js';
import { AuditService } from './audit.service.js';
import { configurationFindings } from './configuration-hygiene.js';
import { healthChecks } from './health-checks.js';
import { SystemHealthController } from './health.controller.js';
import { SystemHealthService } from './health.service.js';
import { SystemUsersController } from './users.controller.js';
import { SystemUsersService } from './users.service.platform.js';
import { isolationOf } from './host-health.js';

/** Well before the deadline of a health check, which would call down what is only unknown. */
const WITHIN_MS = 1500;

/** Temporal's client, loaded when first asked: nothing else in this process speaks to it, and loading it takes a while. */
const temporalChecks = async () => ({
  ...(await import('../../adapters/temporal/temporal-health.js')),
  ...(await import('../../adapters/temporal/failing-workflows.js')),
});

/** What global administrators see of the whole platform. */
export function wireSystem(
  { db, listener, objects, hasher, cache, settings }: ProcessResources,
  version: string,
  forwarded: ForwardedHeaders,
): DomainPart {
  const auditTrail = new AuditService(db);
  const users = new SystemUsersService(db, hasher, cache, settings);
  const health = new SystemHealthService({
    version,
    prepare: temporalChecks,
    checks: healthChecks(db, {
      listening: () => listener.problem,
      objectStore: () => objects.ping(),
      temporal: async () => {
        const { checkTemporal } = await temporalChecks();
        const { TEMPORAL_NAMESPACE: namespace, NODE_ENV: mode } = settings;
        return checkTemporal(temporalAccess(settings), namespace, 1900, mode !== 'production');
      },
      failingWorkflows: async () => {
        const { failingMessage, failingWorkflows } = await temporalChecks();
        return failingMessage(
          await failingWorkflows(temporalAccess(settings), settings.TEMPORAL_NAMESPACE, WITHIN_MS),
        );
      },
      mail: (signal) =>
        settings.SMTP_URL === undefined
          ? checkMailDirectory(mailDirectory(settings))
          : checkSmtp(settings.SMTP_URL, signal),
    }),
    configuration: async () => configurationFindings(settings, await isolationOf(db), forwarded.seenLately),
  });
  return {
    controllers: [
      [SystemUsersController, () => new SystemUsersController(users)],
      [AuditController, () => new AuditController(auditTrail)],
      [SystemHealthController, () => new SystemHealthController(health)],
    ],
  };
}
