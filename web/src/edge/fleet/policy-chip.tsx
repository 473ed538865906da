import { Text } from '@mantine/core';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import type { Policy } from '../queries';
import { policyState } from './policy-state';

const words = text.edge.policyStates;

/** Which revision of its policy a device says it follows. */
export function PolicyChip({ policy }: { policy: Pick<Policy, 'revision' | 'applied_revision'> }) {
  const { revision, applied_revision: applied } = policy;
  switch (policyState(policy)) {
    case 'unsaid':
      return (
        <Text span size="sm" c="dimmed" title={words.unsaidHint(revision)}>
          {words.unsaid}
        </Text>
      );
    case 'behind':
      return <StateChip state={words.behind(applied ?? 0, revision)} look="degraded" />;
    case 'applied':
      return <StateChip state={words.applied(revision)} look="succeeded" />;
  }
}
