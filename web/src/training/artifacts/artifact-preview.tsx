import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { bytes } from '../../shared/numbers';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { previewKind } from './preview-kind';
import { textFileQuery } from './text-file';

const PICTURE_BYTES = 32 * 1024 * 1024;

const PICTURE = { maxWidth: '100%', height: 'auto', alignSelf: 'flex-start', background: '#ffffff' } as const;

interface ArtifactPreviewProps {
  readonly runId: string;
  readonly file: string | null;
  /** Null: not known. */
  readonly size: number | null;
}

/** One file of a run beside the list. */
export function ArtifactPreview({ runId, file, size }: ArtifactPreviewProps) {
  const words = text.training.one.artifacts;
  const { code } = useTenant();
  if (file === null) return <Text c="dimmed">{words.choose}</Text>;
  const path = `/api/v1/runs/${runId}/artifact`;
  const url = tenantUrl(code, path, { path: file });
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Text className="mono" style={{ overflowWrap: 'anywhere' }}>
            {file}
            {size !== null && ` · ${bytes(size)}`}
          </Text>
          <Button
            component="a"
            size="compact-sm"
            variant="default"
            href={tenantUrl(code, path, { path: file, download: 'true' })}
            leftSection={<IconDownload size={15} aria-hidden />}
          >
            {words.download}
          </Button>
        </Group>
        <Content runId={runId} url={url} file={file} size={size} />
      </Stack>
    </Paper>
  );
}

interface FileProps {
  readonly runId: string;
  readonly file: string;
  readonly size: number | null;
}

function Content({ url, ...of }: FileProps & { readonly url: string }) {
  const { file, size } = of;
  const words = text.training.one.artifacts;
  const kind = previewKind(file);
  if (kind === null) return <Text c="dimmed">{words.noPreview}</Text>;
  if (kind === 'svg') return <Drawing {...of} />;
  if (kind !== 'picture') return <TextFile {...of} isJson={kind === 'json'} />;
  if (size !== null && size > PICTURE_BYTES) return <Text c="dimmed">{words.tooLarge}</Text>;
  return <img src={url} alt={file} style={PICTURE} />;
}

/** The server gives SVG as bytes without a type, so that none is ever opened as a page; inside an img no script of it runs. */
function Drawing({ runId, file, size }: FileProps) {
  const words = text.training.one.artifacts;
  const query = useQuery(textFileQuery(useTenant(), runId, file, size));
  if (query.data === undefined) return <Reading query={query} />;
  if (query.data.isCut) return <Text c="dimmed">{words.tooLarge}</Text>;
  const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(query.data.content)}`;
  return <img src={source} alt={file} style={PICTURE} />;
}

function TextFile({ runId, file, size, isJson }: FileProps & { readonly isJson: boolean }) {
  const words = text.training.one.artifacts;
  const query = useQuery(textFileQuery(useTenant(), runId, file, size));
  if (query.data === undefined) return <Reading query={query} />;
  const { content, isCut } = query.data;
  return (
    <>
      {isCut && (
        <Text size="sm" c="dimmed">
          {words.cut}
        </Text>
      )}
      <Code block tabIndex={0} style={{ overflow: 'auto', maxHeight: 560 }}>
        {isJson && !isCut ? indented(content) : content}
      </Code>
    </>
  );
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
