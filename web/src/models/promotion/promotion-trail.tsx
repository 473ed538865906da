import { Group, Stack, Text, Timeline } from '@mantine/core';
import {
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconEye,
  IconFlag,
  IconRotate2,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { Promotion } from '../queries';
import { type TrailState, trailOf } from './trail';

const words = text.models.promotion;

const MARKS = {
  done: { icon: IconCheck, colour: 'succeeded' },
  now: { icon: IconClock, colour: 'running' },
  failed: { icon: IconX, colour: 'failed' },
  ahead: { icon: IconCircleDashed, colour: 'stopped' },
  never: { icon: IconCircleDashed, colour: 'stopped' },
  undone: { icon: IconRotate2, colour: 'waiting' },
} as const;

/** The way of a promotion: who asked, what was checked, who decided, and what happened since. */
export function PromotionTrail({ promotion }: { promotion: Promotion }) {
  const trail = trailOf(promotion);
  return (
    <Timeline bulletSize={24} lineWidth={2} active={-1} aria-label={words.trail}>
      <Timeline.Item title={words.requested} bullet={<IconFlag size={13} aria-hidden />}>
        <Text size="sm" c="dimmed">
          {words.requestedBy(promotion.requested_by_name ?? words.someone)},{' '}
          <Time iso={promotion.created_at} />
        </Text>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{promotion.reason}</Text>
      </Timeline.Item>
      {step(words.checks, trail.checks, <Checks promotion={promotion} />)}
      {step(words.approval, trail.approval, <Approval promotion={promotion} state={trail.approval} />)}
      {step(words.applied, trail.applied, <Applied promotion={promotion} state={trail.applied} />)}
      {step(words.watch, trail.watch, <Watch promotion={promotion} />)}
    </Timeline>
  );
}

/** A part of the timeline, which asks for its own items as children. */
function step(title: string, state: TrailState, children: ReactNode) {
  const { icon: Icon, colour } = MARKS[state];
  return (
    <Timeline.Item
      key={title}
      title={title}
      bullet={<Icon size={13} aria-hidden color={`var(--state-${colour})`} />}
    >
      {children}
    </Timeline.Item>
  );
}

function Checks({ promotion: { checks, status } }: { promotion: Promotion }) {
  if (checks.length === 0)
    return <Quiet>{status === 'PENDING_CHECKS' ? words.checksPending : words.neverCame}</Quiet>;
  return (
    <Stack gap={4} mt={4}>
      {checks.map(({ key, result, message }) => (
        <Group key={key} gap="sm" wrap="wrap" align="baseline">
          <Text size="sm" w={110} fw={500}>
            {words.checkNames[key]}
          </Text>
          <Text size="sm" component="span" w={84}>
            <StateChip
              state={words.results[result]}
              look={result === 'passed' ? 'succeeded' : result === 'failed' ? 'failed' : 'stopped'}
            />
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function Approval({ promotion, state }: { promotion: Promotion; state: TrailState }) {
  const { decision, requires_approval: needs, expires_at: expiresAt, status } = promotion;
  if (decision !== null)
    return (
      <>
        <Text size="sm">
          {decision.decision === 'approve' ? words.approved : words.rejected}{' '}
          {words.requestedBy(decision.decided_by_name ?? words.someone)}, <Time iso={decision.decided_at} />
        </Text>
        {decision.comment !== null && (
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{decision.comment}</Text>
        )}
      </>
    );
  if (state === 'now')
    return (
      <Text size="sm">
        {words.waiting} {words.until} <Time iso={expiresAt} />.
      </Text>
    );
  if (status === 'EXPIRED') return <Text size="sm">{promotion.status_message}</Text>;
  if (state === 'ahead') return <Quiet>{needs ? words.notYet : words.notNeeded}</Quiet>;
  return <Quiet>{needs ? words.neverCame : words.notNeeded}</Quiet>;
}

function Applied({ promotion, state }: { promotion: Promotion; state: TrailState }) {
  const { applied_at: at, previous_version: previous } = promotion;
  if (at === null) return <Quiet>{state === 'never' ? words.neverCame : words.notYet}</Quiet>;
  return (
    <Text size="sm">
      <Time iso={at} />. {previous === null ? words.replacedNone : words.replaced(previous)}
    </Text>
  );
}

function Watch({ promotion }: { promotion: Promotion }) {
  const { rollback_conditions: conditions, watched, status } = promotion;
  if (conditions.length === 0) return <Quiet>{words.noConditions}</Quiet>;
  return (
    <Stack gap={4} mt={4}>
      {conditions.map(({ metric, op, value, for: span }) => (
        <Group key={`${metric} ${op} ${value} ${span}`} gap={6}>
          {watched && <IconEye size={14} aria-hidden />}
          <code>
            {metric} {op} {value}
          </code>
          <Text size="sm">
            {text.conditions.span.toLowerCase()} {span}
          </Text>
        </Group>
      ))}
      <Text size="sm" c={status === 'ROLLED_BACK' ? 'var(--state-waiting)' : 'dimmed'}>
        {status === 'ROLLED_BACK'
          ? `${words.rolledBack} ${promotion.status_message}`
          : watched
            ? words.watched
            : words.notWatched}
      </Text>
    </Stack>
  );
}

function Quiet({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
