import { Anchor, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useTenant } from '../../app/session';
import { usePageCurl } from '../../shared/page-curl';
import { StateChip } from '../../shared/state-chip';
import { Time } from '../../shared/time';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type DatasetDetail, usageQuery } from '../queries';
import { DrawnUsage, SameData, UsedVersions } from './used-versions';
import { Section } from './usage-section';

const words = text.usage;

/** Versions of the dataset, and what was made from them: runs, models, and the endpoints that serve these. */
export function UsageTab({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  usePageCurl({ path: `/api/v1/datasets/${dataset.id}/usage` });
  const query = useQuery(usageQuery(tenant, dataset.id));
  if (query.data === undefined) return <Reading query={query} />;
  const { items, model_versions: versions } = query.data;
  return (
    <Stack gap="lg">
      <Reading query={query} />
      <UsedVersions digest={dataset.digest} usage={query.data} />
      <DrawnUsage dataset={dataset} usage={query.data} />
      <Section
        title={words.runs}
        none={items.length === 0 ? words.noRuns : null}
        heads={[words.name, words.status, words.task, words.model, words.digest, words.started]}
      >
        {items.map((run) => (
          <RunRow key={run.experiment_id} run={run} tenant={tenant.code} digest={dataset.digest} />
        ))}
      </Section>
      <Section
        title={words.versions}
        none={versions.length === 0 ? words.noVersions : null}
        heads={[words.version, words.stage, words.run, words.endpoints, words.devices, words.digest]}
      >
        {versions.map((version) => (
          <VersionRow
            key={`${version.model_name} ${version.version}`}
            version={version}
            tenant={tenant.code}
            digest={dataset.digest}
          />
        ))}
      </Section>
      <SameData usage={query.data} />
    </Stack>
  );
}

interface RowProps {
  readonly tenant: string;
  readonly digest: string | null;
}

function RunRow({ run, tenant, digest }: RowProps & { run: Schemas['UsageItemOut'] }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/training/$experimentId"
              params={{ tenant, experimentId: run.experiment_id }}
              {...props}
            />
          )}
        >
          {run.name ?? run.experiment_id}
        </Anchor>
      </Table.Td>
      <Table.Td>{run.status === null ? '–' : <StateChip state={run.status} />}</Table.Td>
      <Table.Td>{run.task === null ? '–' : (text.datasets.tasks[run.task] ?? run.task)}</Table.Td>
      <Table.Td>{[run.framework, run.model].filter(Boolean).join(' / ') || '–'}</Table.Td>
      <Table.Td>{run.digest === digest ? words.same : words.other}</Table.Td>
      <Table.Td>
        <Time iso={run.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function VersionRow({ version, tenant, digest }: RowProps & { version: Schemas['MadeVersionOut'] }) {
  const { model_name: name, version: number, endpoints } = version;
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props: object) => (
            <Link
              to="/t/$tenant/models/$name/$version"
              params={{ tenant, name, version: String(number) }}
              {...props}
            />
          )}
        >
          {name} v{number}
        </Anchor>
      </Table.Td>
      <Table.Td>{version.stage}</Table.Td>
      <Table.Td>
        {version.training_experiment_id === null ? (
          words.outside
        ) : (
          <Anchor
            size="sm"
            className="mono"
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/training/$experimentId"
                params={{ tenant, experimentId: version.training_experiment_id as string }}
                {...props}
              />
            )}
          >
            {version.training_experiment_id.slice(0, 8)}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        {endpoints.length === 0
          ? words.noEndpoints
          : endpoints.map((endpoint, at) => (
              <span key={endpoint}>
                {at > 0 && ', '}
                <Anchor
                  size="sm"
                  renderRoot={(props: object) => (
                    <Link to="/t/$tenant/serving/$endpoint" params={{ tenant, endpoint }} {...props} />
                  )}
                >
                  {endpoint}
                </Anchor>
              </span>
            ))}
      </Table.Td>
      <Table.Td>
        {version.devices_total === 0 ? (
          words.noDevices
        ) : (
          <Anchor
            size="sm"
            title={version.devices.join(', ')}
            renderRoot={(props: object) => (
              <Link
                to="/t/$tenant/edge"
                params={{ tenant }}
                search={{ runs: `${name}:${number}` }}
                {...props}
              />
            )}
          >
            {words.onDevices(version.devices_total)}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>{version.dataset_digest === digest ? words.same : words.other}</Table.Td>
    </Table.Tr>
  );
}
