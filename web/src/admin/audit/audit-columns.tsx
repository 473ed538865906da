import { Anchor, Stack, Text } from '@mantine/core';
import type { Column } from '../../shared/list/column';
import { type Look, StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { AuditEntry } from '../queries';

const words = text.admin.audit;

const LOOKS: Readonly<Record<AuditEntry['outcome'], Look>> = {
  success: 'succeeded',
  denied: 'degraded',
  failed: 'failed',
};

export const Outcome = ({ outcome }: { outcome: AuditEntry['outcome'] }) => (
  <StateChip state={outcome} look={LOOKS[outcome]} />
);

export const actorText = ({ actor }: AuditEntry): string => actor.email ?? actor.full_name ?? words.system;

export const auditColumns = (onShow: (entry: AuditEntry) => void): ReadonlyArray<Column<AuditEntry>> => [
  {
    id: 'action',
    label: words.action,
    cell: (entry) => (
      <Anchor
        component="button"
        type="button"
        className="mono"
        onClick={() => onShow(entry)}
        aria-label={words.show(`${entry.action} ${entry.id}`)}
      >
        {entry.action}
      </Anchor>
    ),
  },
  { id: 'outcome', label: words.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  { id: 'actor', label: words.actor, cell: (entry) => actorText(entry) },
  {
    id: 'target',
    label: words.target,
    cell: ({ target }) => (
      <Stack gap={0}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {target.label ?? target.id}
        </Text>
        <Text size="xs" c="dimmed">
          {target.kind.replaceAll('_', ' ')}
        </Text>
      </Stack>
    ),
  },
  { id: 'tenant', label: words.tenant, cell: ({ tenant_code }) => tenant_code ?? words.platform },
  { id: 'ip', label: words.ip, isExtra: true, cell: ({ ip }) => <span className="mono">{ip ?? '–'}</span> },
  { id: 'when', label: words.when, cell: ({ at }) => <Time iso={at} /> },
];
