import { ActionIcon, Button, Group, NumberInput, Select, Stack } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { text } from '../../../text';
import { GROUP, type GroupDraft } from './draft';

const words = text.deployments.fresh;
const MOST = 20;

interface GroupFieldsProps {
  readonly groups: readonly GroupDraft[];
  readonly onChange: (groups: readonly GroupDraft[]) => void;
}

/** Groups of devices, one after the other; the last one takes the rest. */
export function GroupFields({ groups, onChange }: GroupFieldsProps) {
  const last = groups.length - 1;
  return (
    <Stack gap="sm">
      {groups.map((group, at) => (
        <GroupRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a group is known by its place
          key={at}
          number={at + 1}
          group={group}
          isLast={at === last}
          onChange={(part) =>
            onChange(groups.map((each, place) => (place === at ? { ...each, ...part } : each)))
          }
          onRemove={
            at === last || groups.length === 1
              ? null
              : () => onChange(groups.filter((_, place) => place !== at))
          }
        />
      ))}
      {groups.length < MOST && (
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...groups.slice(0, last), GROUP, ...groups.slice(last)])}
        >
          {words.addGroup}
        </Button>
      )}
    </Stack>
  );
}

interface RowProps {
  readonly number: number;
  readonly group: GroupDraft;
  readonly isLast: boolean;
  readonly onChange: (part: Partial<GroupDraft>) => void;
  /** Null: it stays. */
  readonly onRemove: (() => void) | null;
}

function GroupRow({ number, group, isLast, onChange, onRemove }: RowProps) {
  return (
    <Group gap="sm" align="flex-end" wrap="wrap" role="group" aria-label={words.group(number)}>
      {isLast ? (
        <Select
          w={208}
          label={words.group(number)}
          aria-label={words.kindOf(number)}
          disabled
          data={[{ value: 'rest', label: words.sizes.rest }]}
          value="rest"
        />
      ) : (
        <>
          <NumberInput
            w={90}
            label={words.group(number)}
            aria-label={words.sizeOf(number)}
            min={group.kind === 'size' ? 1 : 0}
            max={group.kind === 'size' ? 100_000 : 100}
            allowDecimal={group.kind === 'percent'}
            value={group.amount}
            onChange={(amount) => onChange({ amount })}
          />
          <Select
            w={110}
            aria-label={words.kindOf(number)}
            allowDeselect={false}
            data={(['percent', 'size'] as const).map((value) => ({ value, label: words.sizes[value] }))}
            value={group.kind}
            onChange={(kind) => kind !== null && onChange({ kind: kind as GroupDraft['kind'] })}
          />
        </>
      )}
      {!isLast && (
        <Share label={words.success} value={group.success} onChange={(success) => onChange({ success })} />
      )}
      <Share label={words.error} value={group.error} onChange={(error) => onChange({ error })} />
      {onRemove !== null && (
        <ActionIcon variant="default" size={36} aria-label={words.removeGroup(number)} onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

interface ShareProps {
  readonly label: string;
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
}

const Share = ({ label, value, onChange }: ShareProps) => (
  <NumberInput w={200} label={label} min={0} max={100} value={value} onChange={onChange} />
);
