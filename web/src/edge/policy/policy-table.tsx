import { NumberInput, Select, Table, Text } from '@mantine/core';
import { count } from '../../shared/numbers';
import { text } from '../../text';
import type { Policy } from '../queries';
import { inheritedOf, type PolicyForm, SETTINGS, type Setting } from './policy-form';

const words = text.edge.policy;

interface TableProps {
  readonly policy: Policy;
  readonly group: Setting['group'];
  readonly form: PolicyForm;
  readonly wrong: ReadonlySet<string>;
  readonly isReadOnly: boolean;
  readonly onChange: (key: string, value: string | number) => void;
}

/** The settings of one group: a field for this device beside what holds where it is empty. */
export function PolicyTable({ policy, group, form, wrong, isReadOnly, onChange }: TableProps) {
  return (
    <Table.ScrollContainer minWidth={440}>
      <Table aria-label={words.groups[group]} verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="34%">{words.setting}</Table.Th>
            <Table.Th w="36%">{words.own}</Table.Th>
            <Table.Th title={words.inheritedHint}>{words.inherited}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {SETTINGS.filter((setting) => setting.group === group).map((setting) => (
            <Table.Tr key={setting.key}>
              <Table.Th scope="row" fw={400}>
                {words.named(words.names[setting.key] ?? setting.key, words.units[setting.unit] ?? '')}
              </Table.Th>
              <Table.Td>
                <Field
                  setting={setting}
                  value={form[setting.key] ?? ''}
                  isWrong={wrong.has(setting.key)}
                  isReadOnly={isReadOnly}
                  onChange={(value) => onChange(setting.key, value)}
                />
              </Table.Td>
              <Table.Td>
                <Text span c={form[setting.key] === '' ? undefined : 'dimmed'}>
                  {shownValue(setting, inheritedOf(policy, setting))}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface FieldProps {
  readonly setting: Setting;
  readonly value: string | number;
  readonly isWrong: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (value: string | number) => void;
}

function Field({ setting, value, isWrong, isReadOnly, onChange }: FieldProps) {
  const label = words.names[setting.key];
  if (setting.kind === 'choice')
    return (
      <Select
        size="sm"
        maw={180}
        aria-label={label}
        allowDeselect={false}
        disabled={isReadOnly}
        data={Object.entries(words.choices).map(([key, shown]) => ({ value: key, label: shown }))}
        value={String(value)}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  const range = setting.isWhole ? words.whole : words.between;
  return (
    <NumberInput
      size="sm"
      maw={180}
      aria-label={label}
      disabled={isReadOnly}
      allowDecimal={!setting.isWhole}
      allowNegative={false}
      suffix={words.units[setting.unit] === '' ? undefined : ` ${words.units[setting.unit]}`}
      error={isWrong ? range(setting.least, setting.most) : undefined}
      value={value}
      onChange={onChange}
    />
  );
}

function shownValue({ unit }: Setting, value: unknown): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value !== 'number') return words.noLimit;
  return `${count(value)} ${words.units[unit]}`.trim();
}
