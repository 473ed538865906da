import { Modal, NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { text } from '../text';
import { type Entry, findThings, matching, pages } from './palette-entries';

/** Pages, actions and things by a few letters, for hands that stay on the keyboard. */
export function Palette({ tenant, onClose }: { tenant: string | null; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [q] = useDebouncedValue(typed.trim(), 150);
  const navigate = useNavigate();
  const things = useQuery({
    queryKey: [tenant, 'palette', q],
    queryFn: ({ signal }) => findThings(tenant ?? '', q, signal),
    enabled: tenant !== null && q.length > 1,
    placeholderData: keepPreviousData,
  });
  const entries = [...matching(pages(tenant), typed), ...(q.length > 1 ? (things.data ?? []) : [])];
  const chosen = Math.min(at, entries.length - 1);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void navigate(entry.to as never);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, entries.length));
    else if (event.key === 'ArrowUp') setAt((chosen - 1 + entries.length) % Math.max(1, entries.length));
    else if (event.key === 'Enter') go(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding="sm"
      aria-label={text.frame.search}
      transitionProps={{ duration: 0 }}
    >
      <Stack gap="xs">
        <TextInput
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls="palette-entries"
          aria-activedescendant={entries[chosen] && `palette-${chosen}`}
          aria-label={text.frame.search}
          placeholder={text.frame.palette.placeholder}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
        <div id="palette-entries" role="listbox" aria-label={text.frame.search}>
          {entries.map((entry, index) => (
            <NavLink
              key={`${entry.group} ${entry.label}`}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === chosen}
              active={index === chosen}
              component="div"
              tabIndex={-1}
              label={entry.label}
              rightSection={
                <Text size="xs" c="dimmed">
                  {entry.group}
                </Text>
              }
              onClick={() => go(entry)}
            />
          ))}
        </div>
        {entries.length === 0 && <Text c="dimmed">{text.frame.palette.nothing}</Text>}
      </Stack>
    </Modal>
  );
}
