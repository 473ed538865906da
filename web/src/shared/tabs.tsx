import { Tabs } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Loading } from './loading';
import { useSearchChange } from './list/list-page';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly body: () => ReactNode;
}

/** What the address of a page with tabs holds: the tab, and what the tab itself keeps there. */
export interface TabSearch {
  readonly tab?: string;
  readonly page?: number;
  readonly [word: string]: string | number | undefined;
}

/** Tabs whose choice stands in the address; only the open one is in the page. */
export function PageTabs({ tabs }: { tabs: readonly Tab[] }) {
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const open = tabs.find((tab) => tab.id === search.tab) ?? tabs[0];
  if (!open) return null;
  return (
    <Tabs
      value={open.id}
      onChange={(tab) => {
        change(null);
        change({ tab: tab === tabs[0]?.id ? undefined : (tab ?? undefined) });
      }}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.id} value={tab.id}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={open.id}>
        <Suspense fallback={<Loading />}>{open.body()}</Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
