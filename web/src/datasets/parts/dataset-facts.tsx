import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMe, useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { Facts } from '../../shared/facts';
import { bytes, count } from '../../shared/numbers';
import { useWorkflowFact } from '../../shared/temporal';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';

const words = text.datasets.page;

export function DatasetFacts({ dataset }: { dataset: DatasetDetail }) {
  const tenant = useTenant();
  const me = useMe();
  const workflows = useWorkflowFact('dataset-validation', dataset.uid);
  const { id, digest, created_by: by, annotation_format: format, external_source: source } = dataset;
  return (
    <Facts
      items={[
        [words.facts.id, <CopyText key="id" value={id} />],
        [
          words.facts.digest,
          digest === null ? (
            words.notFrozen
          ) : (
            <CopyText key="digest" value={digest} shown={`${digest.slice(0, 12)}…`} />
          ),
        ],
        [words.facts.files, count(dataset.file_count)],
        [words.facts.size, bytes(dataset.size_bytes)],
        [words.facts.format, format === null ? '–' : (text.datasets.formats[format] ?? format)],
        [words.facts.tasks, dataset.tasks.map((task) => text.datasets.tasks[task] ?? task).join(', ') || '–'],
        [
          words.facts.source,
          source === null ? (
            dataset.source
          ) : (
            <Anchor
              key="source"
              renderRoot={(props: object) => (
                <Link
                  to="/t/$tenant/sources/$sourceId"
                  params={{ tenant: tenant.code, sourceId: source }}
                  {...props}
                />
              )}
            >
              {source}
            </Anchor>
          ),
        ],
        [
          words.facts.createdBy,
          by === null ? (
            '–'
          ) : by === me.id ? (
            words.you
          ) : (
            <CopyText key="by" value={by} shown={`${by.slice(0, 8)}…`} />
          ),
        ],
        [words.facts.created, <Time key="created" iso={dataset.created_at} />],
        [words.facts.updated, <Time key="updated" iso={dataset.updated_at} />],
        [words.facts.frozen, <Time key="frozen" iso={dataset.manifest.frozen_at} />],
        ...workflows,
      ]}
    />
  );
}
