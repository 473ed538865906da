import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks';
import { IconBookmark, IconBookmarkFilled, IconTrash } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { text } from '../../text';
import { notifyUndo } from '../notify-undo';
import type { SearchChange } from '../search-change';
import type { ListSearch } from './column';
import { changeTo, isShown, type SavedView, withoutView, withView } from './saved-view';

const NONE: readonly SavedView[] = [];

interface SavedViewsProps {
  /** Name of the list, for what is remembered of it. */
  readonly label: string;
  readonly search: ListSearch;
  readonly change: SearchChange;
  readonly hidden: readonly string[];
  readonly onHidden: (hidden: string[]) => void;
}

/** Views of a list that somebody keeps under a name, in this browser and for this tenant. The address shares one. */
export function SavedViews({ label, search, change, hidden, onHidden }: SavedViewsProps) {
  const { tenant = '' } = useParams({ strict: false });
  const kept = { key: `visionops.views.${tenant}.${label}`, defaultValue: NONE };
  const [views, setViews] = useLocalStorage({ ...kept, getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  const shown = views.find((view) => isShown(view, search, hidden));
  const show = (view: SavedView) => {
    change(changeTo(search, view));
    onHidden([...view.hidden]);
    setOpen(false);
  };
  const remove = (view: SavedView) => {
    setViews(withoutView(views, view.name));
    // Read at that moment: the list may be left by then, and others may have been kept.
    const bringBack = () => setViews(withView(readLocalStorageValue(kept), view));
    notifyUndo(text.lists.viewRemoved(view.name), bringBack);
  };
  const Icon = shown ? IconBookmarkFilled : IconBookmark;
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Tooltip label={shown ? text.lists.viewShown(shown.name) : text.lists.views} withArrow>
          <ActionIcon
            variant="default"
            size={36}
            ml="auto"
            aria-label={text.lists.views}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" w={260}>
          {views.length === 0 && (
            <Text size="sm" c="dimmed">
              {text.lists.noViews}
            </Text>
          )}
          {views.map((view) => (
            <ViewRow
              key={view.name}
              view={view}
              isShown={view === shown}
              onShow={() => show(view)}
              onRemove={() => remove(view)}
            />
          ))}
          <NewView onSave={(name) => setViews(withView(views, { name, search, hidden }))} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ViewRowProps {
  readonly view: SavedView;
  readonly isShown: boolean;
  readonly onShow: () => void;
  readonly onRemove: () => void;
}

function ViewRow({ view, isShown, onShow, onRemove }: ViewRowProps) {
  return (
    <Group gap={4} wrap="nowrap">
      <Button
        variant={isShown ? 'light' : 'subtle'}
        size="compact-sm"
        justify="start"
        flex={1}
        aria-current={isShown ? 'true' : undefined}
        onClick={onShow}
      >
        {view.name}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={text.lists.removeView(view.name)}
        onClick={onRemove}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function NewView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
  };
  return (
    <form onSubmit={save}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="sm"
          flex={1}
          maxLength={60}
          aria-label={text.lists.viewName}
          placeholder={text.lists.viewName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" variant="default" disabled={name.trim() === ''}>
          {text.lists.saveView}
        </Button>
      </Group>
    </form>
  );
}
