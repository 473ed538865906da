import { ActionIcon, Button } from '@mantine/core';
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { dialogFrame, lazyPart } from '../shared/lazy-part';
import { text } from '../text';

const Palette = lazyPart(async () => (await import('./palette')).Palette, {
  waiting: null,
  frame: dialogFrame,
});

/** Opens the palette; its code comes when it is asked for. */
export function SearchButton({ tenant }: { tenant: string | null }) {
  const [isOpen, palette] = useDisclosure(false);
  const os = useOs({ getValueInEffect: false });
  useHotkeys([['mod+K', palette.open]], []);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<kbd style={{ fontSize: 11 }}>{os === 'macos' ? '⌘ K' : 'Ctrl K'}</kbd>}
        onClick={palette.open}
        title={text.frame.search}
        aria-keyshortcuts="Control+K Meta+K"
        visibleFrom="xs"
      >
        {text.frame.searchShort}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={palette.open}
        aria-label={text.frame.search}
        hiddenFrom="xs"
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      {isOpen && <Palette tenant={tenant} onClose={palette.close} />}
    </>
  );
}
