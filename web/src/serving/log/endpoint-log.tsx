import { Button, Select, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSearchChange } from '../../shared/search-change';
import { usePageCurl } from '../../shared/page-curl';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';
import type { Endpoint } from '../queries';
import { FollowedLog } from './followed-log';
import { KeptLog } from './kept-log';

const words = text.serving.log;

/** What an instance printed: its end while it runs, all that is kept when nothing runs or somebody asks. */
export function EndpointLog({ endpoint: { name, replicas, status } }: { endpoint: Endpoint }) {
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const [wantsAll, setWantsAll] = useState(false);
  const instance = Math.min(Math.max(0, Number(search.instance) || 0), replicas - 1);
  usePageCurl({ path: `/api/v1/serving/endpoints/${name}/log`, query: { instance } });
  const isLive = status !== 'STOPPED' && status !== 'FAILED';
  const toggle = (
    <Button size="compact-sm" variant="default" onClick={() => setWantsAll(!wantsAll)}>
      {wantsAll ? words.follow : words.all}
    </Button>
  );
  return (
    <Stack gap="sm">
      {replicas > 1 && (
        <Select
          w={160}
          label={words.instance}
          allowDeselect={false}
          data={Array.from({ length: replicas }, (_, number) => ({
            value: String(number),
            label: words.instanceNumber(number),
          }))}
          value={String(instance)}
          onChange={(value) => change({ instance: value === '0' ? undefined : (value ?? undefined) })}
        />
      )}
      {isLive && !wantsAll ? (
        <FollowedLog name={name} instance={instance} note={toggle} />
      ) : (
        <KeptLog name={name} instance={instance} note={isLive && toggle} />
      )}
    </Stack>
  );
}
