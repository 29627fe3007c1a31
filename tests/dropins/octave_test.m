% Transforms of odd shapes, through every function of Octave that calls FFTW. One number per line.
rand("seed", 3);
x = rand(7, 12, 5) + i * rand(7, 12, 5);
r = rand(30, 11);
show = @(a) printf("%.17e %.17e\n", [real(a(:)), imag(a(:))]');
show(fft(x)); show(fft(x, [], 2)); show(ifft(x, 16, 3)); show(fft2(r)); show(ifft2(fft2(r)));
show(fftn(x)); show(ifftn(x)); show(fft(r, 64)); show(fftconv(r(:, 1), r(:, 2)));
show(fftfilt(r(1:5, 1), r(:, 3))); show(fft(rand(1009, 1)));
fftw("planner", "measure"); show(fft(r(:, 1:10)));
fftw("threads", 2); show(fftn(rand(20, 30)));
