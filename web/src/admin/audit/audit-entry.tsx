import { Code, Stack, Text } from '@mantine/core';
import { Dialog } from '../../shared/dialog';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { exact } from '../../shared/time';
import { text } from '../../text';
import type { AuditEntry } from '../queries';
import { actorText, Outcome } from './audit-columns';

/** Everything that is written about one change. */
export function AuditEntryDetail({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const words = text.admin.audit;
  const detail = JSON.stringify(entry.detail, null, 2);
  return (
    <Dialog onClose={onClose} title={`${words.detail} ${entry.id}`} size="lg">
      <Stack gap="md">
        <Facts
          items={[
            [
              words.action,
              <span key="action" className="mono">
                {entry.action}
              </span>,
            ],
            [words.outcome, <Outcome key="outcome" outcome={entry.outcome} />],
            [words.when, `${exact(entry.at, 'utc')} · ${exact(entry.at, 'local')}`],
            [words.actor, [actorText(entry), entry.actor.full_name].filter(Boolean).join(' · ')],
            [words.ip, entry.ip ?? '–'],
            [words.tenant, entry.tenant_code ?? words.platform],
            [words.target, entry.target.label ?? '–'],
            [words.targetKind, entry.target.kind],
            [words.targetId, <CopyText key="id" value={entry.target.id} />],
            ...(entry.error_id === null
              ? []
              : [[words.errorId, <CopyText key="error" value={entry.error_id} />] as const]),
          ]}
        />
        <Text fw={600}>{words.details}</Text>
        {detail === '{}' ? (
          <Text c="dimmed">{words.noDetails}</Text>
        ) : (
          <Code block tabIndex={0} style={{ maxHeight: 320, overflow: 'auto' }}>
            {detail}
          </Code>
        )}
      </Stack>
    </Dialog>
  );
}
