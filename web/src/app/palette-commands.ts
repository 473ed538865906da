import { useMantineColorScheme } from '@mantine/core';
import { text } from '../text';
import type { Entry } from './palette-match';
import { useSignOut } from './use-sign-out';

const { palette, theme, themes, signOut } = text.frame;
const THEMES = ['auto', 'light', 'dark'] as const;

/** What is done in place, and leads to no page by itself. */
export function useCommands(): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  return [
    ...THEMES.map((scheme) => ({
      label: `${theme}: ${themes[scheme]}`,
      group: palette.actions,
      run: () => setColorScheme(scheme),
    })),
    { label: signOut, group: palette.actions, run: () => void leave() },
  ];
}
