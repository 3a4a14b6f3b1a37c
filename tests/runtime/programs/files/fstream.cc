// C++ streams reach the same symbols by their own way.
#include "../truth.h"

#include <fstream>
#include <string>

int main(int argc, char **argv)
{
    MUST(argc == 2 && chdir(argv[1]) == 0);
    std::string line(1000, 'x');
    {
        std::ofstream out("stream");
        for (int i = 0; i < 500; i++) {
            out << line << '\n';
        }
        out.write(line.data(), 64);
    }
    long long bytes = 0;
    {
        std::ifstream in("stream");
        while (std::getline(in, line)) {
            bytes += static_cast<long long>(line.size()) + (in.eof() ? 0 : 1);
        }
        in.clear();
        in.seekg(10);
    }
    MUST(bytes == 500 * 1001 + 64);
    return 0;
}
