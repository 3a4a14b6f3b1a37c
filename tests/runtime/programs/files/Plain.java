import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;

/** Ordinary Java file work in the folder args[0]; what it moved is counted by strace. */
public class Plain {
    public static void main(String[] args) throws IOException {
        Path file = Paths.get(args[0], "data");
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file.toFile()))) {
            byte[] line = "0123456789abcdef0123456789abcde\n".getBytes();
            for (int i = 0; i < 20000; i++) {
                out.write(line);
            }
        }
        try (BufferedReader in = new BufferedReader(new FileReader(file.toFile()))) {
            int lines = 0;
            while (in.readLine() != null) {
                lines++;
            }
            if (lines != 20000) {
                throw new IOException("lines: " + lines);
            }
        }
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(5000), 100);
            channel.read(ByteBuffer.allocate(4000), 50);
            channel.force(false);
        }
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.seek(10);
            raw.write(new byte[777]);
        }
        Files.delete(file);
    }
}
