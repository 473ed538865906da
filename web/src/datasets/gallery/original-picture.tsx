import { Text } from '@mantine/core';
import { useState } from 'react';
import { tenantUrl } from '../../api/client';
import { text } from '../../text';
import type { DatasetFile } from '../queries';
import { type Size, Thumb } from './thumb';

interface OriginalProps {
  readonly tenant: string;
  readonly file: DatasetFile;
  readonly onSize: (size: Size) => void;
}

/** The picture as it was uploaded, over its small copy until it is there; the copy alone where the browser cannot show it. */
export function OriginalPicture({ tenant, file, onSize }: OriginalProps) {
  const [isBroken, setBroken] = useState(false);
  const layer = { position: 'absolute', inset: 0 } as const;
  return (
    <>
      <div style={layer}>
        <Thumb tenant={tenant} file={file} alt={isBroken ? file.path : ''} fit="contain" onSize={onSize} />
      </div>
      {isBroken ? (
        <Text size="xs" px={6} bg="var(--ground)" style={{ position: 'absolute', left: 0, bottom: 0 }}>
          {text.datasets.viewer.original}
        </Text>
      ) : (
        <img
          src={tenantUrl(tenant, `/api/v1/datasets/${file.dataset_id}/files/${file.id}/content`)}
          alt={file.path}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            onSize({ width, height })
          }
          onError={() => setBroken(true)}
          style={{ ...layer, width: '100%', height: '100%', objectFit: 'contain' }}
        />
      )}
    </>
  );
}
