import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTenant } from '../../app/session';
import { JsonCell } from '../../shared/json-cell';
import { VersionLink } from '../../shared/links';
import type { Column } from '../../shared/list/column';
import { metric, share } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import { type Device, type Inference, inferenceQuery, latestTransfersQuery, type Transfer } from '../queries';
import { Feed, useCursor } from './feed';
import { pictureFinder, seenIn } from './prediction';
import { usePageCurl } from '../../shared/page-curl';

const words = text.edge.feeds;

type PictureOf = (prediction: Inference) => Transfer | null;

const columnsOf = (pictureOf: PictureOf): ReadonlyArray<Column<Inference>> => [
  { id: 'label', label: words.label, cell: (row) => seenText(row) },
  {
    id: 'model',
    label: words.model,
    cell: ({ model_name: name, version }) => (
      <VersionLink name={name} version={version}>
        {text.serving.version(name, version)}
      </VersionLink>
    ),
  },
  {
    id: 'confidence',
    label: words.confidence,
    align: 'right',
    cell: ({ confidence }) => (confidence === null ? '–' : share(confidence)),
  },
  {
    id: 'latency',
    label: words.latency,
    align: 'right',
    cell: ({ latency_ms: ms }) => (ms === null ? '–' : words.ms(metric(ms))),
  },
  { id: 'picture', label: words.picture, cell: (row) => <Picture file={pictureOf(row)} /> },
  {
    id: 'result',
    label: words.result,
    cell: ({ result, prediction_id: id }) => <JsonCell value={result} label={id ?? words.result} />,
  },
  { id: 'at', label: words.at, cell: ({ ts }) => <Time iso={ts} /> },
];

/** What models predicted on a device. */
export function InferenceTab({ device: { id } }: { device: Device }) {
  const tenant = useTenant();
  const cursor = useCursor();
  usePageCurl({ path: `/api/v1/edge/devices/${encodeURIComponent(id)}/inference`, query: { cursor } });
  const feed = useQuery(inferenceQuery(tenant, id, cursor));
  const { data: sent } = useQuery(latestTransfersQuery(tenant, id));
  const columns = useMemo(() => columnsOf(pictureFinder(sent?.items ?? [])), [sent]);
  return (
    <Feed
      label={words.inference}
      query={feed}
      columns={columns}
      keyOf={(row) => row.id}
      empty={words.noInference}
    />
  );
}

function seenText(row: Inference): string {
  const seen = seenIn(row);
  if (seen === null) return words.noLabel;
  return 'label' in seen ? seen.label : words.objects(seen.objects);
}

/** Files of a dataset are found by their path there. */
function Picture({ file }: { file: Transfer | null }) {
  const { code } = useTenant();
  if (file === null) return '–';
  return (
    <Anchor
      title={file.filename}
      renderRoot={(props: object) => (
        <Link
          to="/t/$tenant/datasets/$datasetId"
          params={{ tenant: code, datasetId: file.dataset_id }}
          search={{ tab: 'files', q: file.filename }}
          {...props}
        />
      )}
    >
      {words.openPicture}
    </Anchor>
  );
}
