import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import { count, metric } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import type { TabSearch } from '../../shared/tabs';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type DistributionAsk, distributionQuery } from '../queries';
import { VersionSelect } from '../../shared/version-select';
import { Histogram } from './histogram';
import { RangeSelect, useRange } from './range-select';
import { usePageCurl } from '../../shared/page-curl';

const words = text.models.distribution;

/** What a version predicts now beside its training data or another version, and whether it drifted. */
export function Distribution({ name }: { name: string }) {
  const tenant = useTenant();
  const ask = useAsk();
  const change = useSearchChange();
  usePageCurl({ path: `/api/v1/models/${encodeURIComponent(name)}/distribution`, query: { ...ask } });
  const query = useQuery(distributionQuery(tenant, name, ask));
  const shown = ask.version ?? query.data?.version;
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <RangeSelect />
        <Select
          w={180}
          label={words.feature}
          allowDeselect={false}
          data={Object.entries(words.features).map(([value, label]) => ({ value, label }))}
          value={ask.feature}
          onChange={(value) => change({ feature: value ?? undefined })}
        />
        <VersionSelect
          w={180}
          label={words.version}
          mayBeNone={false}
          model={name}
          value={shown === undefined || shown === null ? '' : String(shown)}
          onChange={(version) => change({ version })}
        />
        <VersionSelect
          w={180}
          label={words.baseline}
          mayBeNone={false}
          first={[{ value: 'training', label: words.training }]}
          model={name}
          value={ask.baseline}
          onChange={(baseline) => change({ baseline })}
        />
      </Group>
      <Reading query={query} lines={4} />
      {query.data && <Shown data={query.data} />}
    </Stack>
  );
}

function Shown({ data }: { data: Schemas['DistributionOut'] }) {
  const { psi, test, drifted, message } = data;
  return (
    <Stack gap="md">
      <Group gap="lg">
        {drifted === null ? (
          <StateChip state={words.unknown} look="waiting" />
        ) : (
          <StateChip
            state={drifted ? words.drifted : words.steady}
            look={drifted ? 'degraded' : 'succeeded'}
          />
        )}
        <Text size="sm" c="dimmed">
          {words.samples(count(data.sample_size), count(data.baseline_sample_size))}
        </Text>
      </Group>
      {message !== null && <Text>{message}</Text>}
      {psi.value !== null && (
        <Text size="sm">
          {words.psi} {metric(psi.value)} ({words.threshold(metric(psi.threshold))}) ·{' '}
          {words.tests[test.test]} {metric(test.statistic)}, {words.p(metric(test.p_value))} (
          {words.threshold(metric(test.threshold))})
        </Text>
      )}
      {data.bins.length > 0 && <Histogram bins={data.bins} />}
    </Stack>
  );
}

const FEATURES = ['label', 'confidence', 'latency_ms'] as const;

/** What the address asks for. */
function useAsk(): DistributionAsk {
  const search: TabSearch = useSearch({ strict: false });
  const range = useRange();
  const version = Number(search.version);
  return {
    range,
    feature: FEATURES.find((feature) => feature === search.feature) ?? 'label',
    baseline:
      typeof search.baseline === 'string' && /^[1-9]\d{0,9}$/.test(search.baseline)
        ? search.baseline
        : 'training',
    ...(Number.isInteger(version) && version > 0 ? { version } : {}),
  };
}
