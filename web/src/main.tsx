import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './app/door-styles';
import './app/app.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { personChange } from './app/person-change';
import { whenSomebodyIsHere } from './app/person-here';
import { makeQueryClient } from './app/query-client';
import { makeRouter } from './app/router';
import { setSessionOver } from './app/session-end';
import { cssVariables, theme } from './app/theme';

const queryClient = makeQueryClient(() => setSessionOver(true));
const router = makeRouter(queryClient);

whenSomebodyIsHere(
  personChange({
    goOn: () => {
      if (!setSessionOver(false)) return;
      void queryClient.invalidateQueries();
      void router.invalidate();
    },
    leave: () => {
      queryClient.clear();
      const { pathname, href } = router.state.location;
      if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { next: href } });
    },
    beginAnew: () => window.location.reload(),
  }),
);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
