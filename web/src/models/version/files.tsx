import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { CopyText } from '../../shared/copy-text';
import { DataTable } from '../../shared/list/data-table';
import { bytes } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { compareQuery, type VersionDetail } from '../queries';
import { usePageCurl } from '../../shared/page-curl';

const words = text.models.versionPage;

/** Files of a version's model folder with their digests. */
export function Files({ version: { name, version } }: { version: VersionDetail }) {
  const tenant = useTenant();
  usePageCurl({
    path: `/api/v1/models/${encodeURIComponent(name)}/compare`,
    query: { from: version, to: version },
  });
  const query = useQuery(compareQuery(tenant, name, version, version));
  if (query.data === undefined) return <Reading query={query} lines={3} />;
  return (
    <>
      <Reading query={query} />
      <DataTable
        label={words.files}
        rows={query.data.files}
        keyOf={({ path }) => path}
        columns={[
          {
            id: 'path',
            label: words.fileColumns.path,
            cell: ({ path }) => <span className="mono">{path}</span>,
          },
          {
            id: 'size',
            label: words.fileColumns.size,
            align: 'right',
            cell: ({ from }) => (from === null ? '–' : bytes(from.size_bytes)),
          },
          {
            id: 'sha256',
            label: words.fileColumns.sha256,
            cell: ({ from }) =>
              from === null ? '–' : <CopyText value={from.sha256} shown={from.sha256.slice(0, 16)} />,
          },
        ]}
      />
    </>
  );
}
