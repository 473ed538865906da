import { ActionIcon, Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { text } from '../../text';
import { needsValue, type TenantForm } from './tenant-form';

type Rows = TenantForm['kpis'];

/** Names of metrics with the value that each has to reach. */
export function KpiRows({ rows, onChange }: { rows: Rows; onChange: (rows: Rows) => void }) {
  const words = text.admin.tenants;
  const set = (at: number, change: Partial<Rows[number]>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <Stack gap="sm" align="flex-start">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name until it is typed
        <Group key={at} gap="sm" wrap="nowrap">
          <TextInput
            aria-label={words.kpiName}
            placeholder="map50"
            value={row.name}
            onChange={(event) => set(at, { name: event.currentTarget.value })}
          />
          <NumberInput
            aria-label={words.kpiValue}
            placeholder="0.6"
            w={120}
            required={needsValue(row)}
            value={row.value}
            onChange={(value) => set(at, { value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={words.removeKpi(row.name)}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...rows, { name: '', value: '' }])}
      >
        {words.addKpi}
      </Button>
    </Stack>
  );
}
