import { Anchor } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useUploads } from '../datasets/upload/running-uploads';
import { summaryOf } from '../datasets/upload/upload-summary';
import { text } from '../text';

/** How far the uploads of this tab are, on whichever page; it leads to the one that needs somebody. */
export function UploadChip() {
  const summary = summaryOf(useUploads());
  if (summary === null) return null;
  const { tenant, datasetId, percent, isFailed } = summary;
  return (
    <Anchor
      size="sm"
      fw={600}
      c={isFailed ? 'var(--state-failed)' : undefined}
      aria-label={text.frame.upload(datasetId, percent, isFailed)}
      title={text.frame.upload(datasetId, percent, isFailed)}
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4, minHeight: 24, whiteSpace: 'nowrap' }}
      renderRoot={(props: object) => (
        <Link to="/t/$tenant/datasets/$datasetId" params={{ tenant, datasetId }} {...props} />
      )}
    >
      <IconUpload size={15} aria-hidden />
      {text.units.percent(String(percent))}
    </Anchor>
  );
}
