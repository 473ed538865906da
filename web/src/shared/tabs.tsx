import { Tabs } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Loading } from './loading';
import { useSearchChange } from './search-change';
import type { TabSearch } from './tab-search';

export type { TabSearch };

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly body: () => ReactNode;
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
      onChange={(tab) =>
        change({ tab: tab === tabs[0]?.id ? undefined : (tab ?? undefined) }, { only: true })
      }
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
