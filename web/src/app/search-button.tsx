import { ActionIcon, Button } from '@mantine/core';
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { text } from '../text';

const Palette = lazy(() => import('./palette').then(({ Palette }) => ({ default: Palette })));

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
      {isOpen && (
        <Suspense fallback={null}>
          <Palette tenant={tenant} onClose={palette.close} />
        </Suspense>
      )}
    </>
  );
}
