import { NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { Dialog } from '../shared/dialog';
import { text } from '../text';
import { useCommands } from './palette-commands';
import { pages } from './palette-entries';
import { type Entry, keyOf, matching, placeOf } from './palette-match';
import { findThings } from './palette-things';
import { type Rights, useRights } from './session';

/** Pages, actions and things by a few letters, for hands that stay on the keyboard. */
export function Palette({ tenant, onClose }: { tenant: string | null; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState<string | null>(null);
  const [q] = useDebouncedValue(typed.trim(), 150);
  const rights = useRights(tenant);
  const navigate = useNavigate();
  const { things, hint } = useThings(tenant, typed, q, rights);
  const entries = [...matching([...pages(tenant, rights), ...useCommands()], typed), ...things];
  const chosen = placeOf(entries, at);
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    if ('to' in entry) void navigate(entry.to as never);
    else entry.run();
  };
  const move = (by: number) => {
    const next = entries[(chosen + by + entries.length) % Math.max(1, entries.length)];
    setAt(next ? keyOf(next) : null);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') go(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
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
            setAt(null);
          }}
          onKeyDown={onKey}
        />
        <div
          id="palette-entries"
          role="listbox"
          aria-label={text.frame.search}
          style={{ maxHeight: '60vh', overflowY: 'auto' }}
        >
          {entries.map((entry, index) => (
            <NavLink
              key={keyOf(entry)}
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
        <Text c="dimmed" size="sm" role="status" mih={22}>
          {hint ?? (entries.length === 0 && text.frame.palette.nothing)}
        </Text>
      </Stack>
    </Dialog>
  );
}

/** Things of the tenant; those of a query before stay as long as their name holds what is typed. */
function useThings(tenant: string | null, typed: string, q: string, rights: Rights) {
  const isAsked = tenant !== null && typed.trim().length > 1;
  const found = useQuery({
    queryKey: [tenant, 'palette', 'things', q],
    queryFn: ({ client, signal }) => findThings({ tenant: tenant ?? '', rights }, q, client, signal),
    enabled: isAsked && q.length > 1,
    placeholderData: keepPreviousData,
  });
  const isOfTyped = q === typed.trim() && !found.isPlaceholderData;
  if (!isAsked) return { things: [], hint: null };
  if (isOfTyped && found.error !== null)
    return { things: [], hint: text.frame.palette.failed(found.error.message) };
  const { things = [], failed = [] } = found.data ?? {};
  if (isOfTyped && found.isSuccess)
    return { things, hint: failed.length === 0 ? null : text.frame.palette.incomplete(failed.join(', ')) };
  return { things: matching(things, typed), hint: text.frame.palette.searching };
}
