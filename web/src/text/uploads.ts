const plural = (n: number, one: string, many: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** Words of choosing files and of their way to the platform. */
export const uploads = {
  drop: {
    label: 'Drop folders, files and ZIP archives here',
    hint: 'A folder is a class, unless annotations in COCO, YOLO or Pascal VOC say more. ZIP archives are unpacked. Uploads go on where they stopped.',
    folder: 'Choose a folder',
    file: 'Choose files',
    now: 'Drop to add',
    addTo: (name: string) => `Drop to add to ${name}`,
    reading: (n: number) => `Reading the folders: ${plural(n, 'file', 'files')} so far`,
    chosen: (files: string, size: string) => `${files}, ${size}`,
    archives: (n: number) => `${plural(n, 'ZIP archive', 'ZIP archives')} to unpack`,
    leftOut: (n: number) =>
      `${plural(n, 'file', 'files')} of desktop systems left out (.DS_Store, Thumbs.db)`,
    clear: 'Take all away',
    keepRoot: (name: string) => `Paths begin with the folder ${name}`,
    example: 'First path',
  },
  upload: {
    title: 'Upload',
    start: 'Upload',
    pause: 'Pause',
    resume: 'Go on',
    cancel: 'Stop the upload',
    close: 'Close',
    phases: {
      listing: 'Comparing with the files that are there already',
      sending: 'Uploading',
      assembling: 'The platform is unpacking the archives',
      paused: 'Paused',
      waiting: 'Waiting',
      done: 'Uploaded',
      failed: 'Ended with failures',
      stopped: 'Stopped',
    },
    waits: {
      noAnswer: 'The platform does not answer',
      busy: 'The platform is busy',
      signedOut: 'Signed out',
    },
    waitingFor: (reason: string, seconds: number) => `${reason} Next try in ${seconds} s.`,
    noAnswer: 'No answer from the platform.',
    busy: 'The platform is busy.',
    rate: (rate: string) => `${rate}/s`,
    left: (time: string) => `about ${time} left`,
    counted: (done: string, all: string) => `${done} of ${all} files`,
    bytes: (done: string, all: string) => `${done} of ${all}`,
    skipped: (n: number) => `${plural(n, 'file was', 'files were')} there already`,
    failures: (n: number) => `${plural(n, 'file', 'files')} not taken`,
    broken: (n: number, message: string) =>
      `The upload broke off: ${plural(n, 'file was', 'files were')} not sent. ${message}`,
    retry: 'Try these again',
    retryOne: 'Try again',
    hashing: 'checksum',
    stay: 'Keep this tab open. If it closes, drop the same folder again: what is there is skipped.',
    interrupted: (done: string, all: string) => `An upload was interrupted after ${done} of ${all} files`,
    otherTab: (done: string, all: string) =>
      `Another tab of this browser uploads into this dataset: ${done} of ${all} files`,
    otherTabHint: 'It can be paused and stopped there. Close no tab that uploads.',
    again:
      'Drop the same folder or archive again: the upload goes on where it stopped, and files that are there are skipped.',
    forget: 'Forget it',
    signedOut: 'Your session has ended. Sign in again; the upload goes on by itself.',
    reasons: {
      unreadable: 'The browser could not read it.',
      path: 'The path cannot be used: names may have 255 bytes, paths 512 characters, and no control characters.',
      differs: 'The dataset has a file of this path with other bytes. Delete that file first.',
      changed: 'The file changed or went away while it was read.',
      checksum: 'The platform received other bytes than were read here.',
      archive: 'The archive could not be taken.',
    },
    members: (created: number, skipped: number) =>
      `${plural(created, 'member', 'members')} unpacked, ${skipped.toLocaleString('en')} there already`,
    table: 'Files that were not taken',
    path: 'Path',
    reason: 'Reason',
  },
};
