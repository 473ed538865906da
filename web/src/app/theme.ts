import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { text } from '../text';

/** Every colour, size and font of the console. Colour means state; the accent is for what can be done. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '8px', xl: '12px' },
  defaultRadius: 'sm',
  primaryColor: 'accent',
  // Shades of filled parts: white words on them are AA in both themes.
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // The cross of dialogs and messages has no word of its own.
    CloseButton: { defaultProps: { 'aria-label': text.shared.close } },
    // A table that is wider than the page is moved by keyboard too, with the words in it that only screen readers read.
    TableScrollContainer: { defaultProps: { type: 'native', tabIndex: 0, pos: 'relative' } },
  },
  colors: {
    accent: [
      '#eef3ff',
      '#dce6fb',
      '#b6caf3',
      '#8dabec',
      '#7fa2ee',
      '#557fdf',
      '#3563cc',
      '#2456c4',
      '#1b47a8',
      '#12368a',
    ],
    red: [
      '#fff1f0',
      '#fde0de',
      '#f9bdb8',
      '#f28b82',
      '#ea6a60',
      '#dd4a3f',
      '#c93a30',
      '#b3261e',
      '#991f18',
      '#7f1812',
    ],
    dark: [
      '#e4e7ec',
      '#c3c9d2',
      '#a3abb8',
      '#7a8494',
      '#3b4350',
      '#2f3641',
      '#262c36',
      '#1b2028',
      '#151920',
      '#0f1217',
    ],
  },
});

/** Hairlines, quiet text and the colours of states, with values of their own in the dark; all of them AA on both grounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566070',
    '--line': '#e1e5ea',
    '--ground': '#ffffff',
    '--ground-quiet': '#f6f8fa',
    '--state-succeeded': '#0b6b3a',
    '--state-running': '#1d55b8',
    '--state-waiting': '#8a5200',
    '--state-failed': '#b3261e',
    '--state-stopped': '#566070',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb8',
    '--line': '#2f3641',
    '--ground': '#151920',
    '--ground-quiet': '#1b2028',
    '--state-succeeded': '#5fc58c',
    '--state-running': '#8db4f5',
    '--state-waiting': '#e5ab52',
    '--state-failed': '#f28b82',
    '--state-stopped': '#a3abb8',
  },
});
