import { Box, Button, Group, Text } from '@mantine/core';
import { IconFolderUp } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { text } from '../../text';
import classes from './drop-zone.module.css';
import { ReadingStatus } from './reading-status';
import type { Dropped } from './upload-plan';
import { useReading } from './use-reading';

const words = text.datasets.drop;

/** Takes folders, files and ZIPs by drag and drop, and by buttons for those who cannot drag. */
export function DropZone({
  onFiles,
  isSmall = false,
}: {
  onFiles: (dropped: readonly Dropped[]) => void;
  /** One line, beside something else that matters more. */
  isSmall?: boolean;
}) {
  const [isOver, setOver] = useState(false);
  const reading = useReading(onFiles);
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    reading.drop(event.dataTransfer);
  };
  const take = (input: HTMLInputElement) => {
    if (input.files) reading.choose(input.files);
    input.value = '';
  };
  return (
    <Box
      p={isSmall ? 'sm' : 'lg'}
      role="group"
      aria-label={words.label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      style={{
        border: `1px dashed ${isOver ? 'var(--mantine-primary-color-filled)' : 'var(--line)'}`,
        background: isOver ? 'var(--ground-quiet)' : undefined,
        borderRadius: 6,
      }}
    >
      <Box className={isSmall ? classes.small : classes.large}>
        <IconFolderUp size={isSmall ? 22 : 32} stroke={1.4} aria-hidden />
        {/* In one line another word would move what is under the pointer, and the drop would miss. */}
        <Text fw={600}>{isOver && !isSmall ? words.now : words.label}</Text>
        {!isSmall && (
          <Text size="sm" c="dimmed" maw={560}>
            {words.hint}
          </Text>
        )}
        <Group gap="sm" justify="center">
          <Button variant="default" onClick={() => folder.current?.click()}>
            {words.folder}
          </Button>
          <Button variant="default" onClick={() => files.current?.click()}>
            {words.file}
          </Button>
        </Group>
      </Box>
      <ReadingStatus reading={reading} />
      <input
        ref={folder}
        type="file"
        hidden
        multiple
        data-testid="folder"
        aria-label={words.folder}
        {...{ webkitdirectory: '' }}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={files}
        type="file"
        hidden
        multiple
        data-testid="files"
        aria-label={words.file}
        onChange={(event) => take(event.currentTarget)}
      />
    </Box>
  );
}
